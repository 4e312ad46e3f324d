import { type Question, visibleLine } from '@longhaul/protocol';
import { QuestionForm } from '../../questions/question-form.ts';
import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { Input, matchesKey } from '../pi-tui.ts';
import type { ApprovalPanelOptions } from './approval-panel.ts';
import type { Panel } from './panel.ts';

export interface QuestionPanelOptions extends Pick<ApprovalPanelOptions, 'onAnswer' | 'onStop'> {
  question: Question;
  paint: Paint;
}

/** Asks for the fields of a question of a server, which is printed above. */
export class QuestionPanel implements Panel {
  readonly #options: QuestionPanelOptions;
  readonly #form: QuestionForm;
  #input = this.#nextInput();
  #problem: string | undefined;
  focused = false;

  constructor(options: QuestionPanelOptions) {
    this.#options = options;
    this.#form = new QuestionForm(options.question);
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  render(width: number): string[] {
    const { paint, question } = this.#options;
    this.#input.focused = this.focused;
    const lines = (text: string) => wrapText(text, width).trimEnd().split('\n');
    return [
      paint.warn(fitLine(`? Answer ${visibleLine(question.server)}`, width)),
      ...lines(this.#form.prompt),
      ...(this.#problem === undefined ? [] : lines(this.#problem).map((line) => paint.bad(line))),
      ...this.#input.render(width),
      paint.dim(fitLine('Enter answers, Esc declines, Ctrl-C stops the run', width)),
    ];
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'ctrl+c')) this.#options.onStop();
    else if (matchesKey(data, 'escape'))
      this.#options.onAnswer({ answer: 'deny', reason: 'the person declined' });
    else this.#input.handleInput(data);
  }

  #nextInput(): Input {
    const input = new Input({ prompt: '  › ' });
    input.onSubmit = (text) => this.#take(text);
    return input;
  }

  #take(text: string): void {
    this.#problem = this.#form.take(text);
    this.#input = this.#nextInput();
    const { content } = this.#form;
    if (content !== undefined) this.#options.onAnswer({ answer: 'once', content });
  }
}
