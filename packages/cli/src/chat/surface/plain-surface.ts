import { createInterface, type Interface } from 'node:readline';
import { questionOf } from '@longhaul/protocol';
import { QuestionForm } from '../../questions/question-form.ts';
import { columnsOf, type Terminal } from '../../terminal.ts';
import { InputPause } from '../screen/input-pause.ts';
import { callQuestion, choiceQuestion, fieldQuestion, type PlainQuestion } from './plain-questions.ts';
import type { ApprovalOptions, PickOptions, Surface, SurfaceListener } from './surface.ts';

const CTRL_C = '\u0003';

/**
 * Plain lines, of which nothing is redrawn: for screen readers, and for terminals that cannot move their cursor. The
 * terminal itself edits the line that is written. A line that ends with a backslash continues in the next one, and so do
 * the lines of a paste.
 */
export class PlainSurface implements Surface {
  readonly #terminal: Terminal;
  readonly #questions: PlainQuestion[] = [];
  #listener: SurfaceListener | undefined;
  #lines: Interface | undefined;
  #isWorking = false;
  /** The last line is the sign at which a person writes. */
  #isPrompted = false;
  #written = '';
  /** Lines that were entered a moment ago. */
  readonly #entered: string[] = [];
  readonly #pause = new InputPause(() => this.#takeEntered());
  readonly #onInterrupt = () => this.#interrupt();
  readonly frame = 0;
  readonly keys = 0;
  readonly isCompleting = false;
  readonly keepsEntered = true;
  readonly settled = Promise.resolve();
  readonly showsStatus = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    return columnsOf(this.#terminal.out) - 1;
  }

  get text(): string {
    return this.#written;
  }

  /** A text that comes back can only be shown: the terminal edits its own line. */
  set text(text: string) {
    this.#written = '';
    if (text !== '') this.print(`To send again:\n${text}\n`);
  }

  insert(text: string): void {
    this.text = text;
  }

  get hasQuestion(): boolean {
    return this.#questions.length > 0;
  }

  start(listener: SurfaceListener): void {
    this.#listener = listener;
    process.on('SIGINT', this.#onInterrupt);
    this.take();
    this.#prompt();
  }

  stop(): void {
    process.off('SIGINT', this.#onInterrupt);
    this.release();
    // What follows, such as the prompt of a shell, begins on a line of its own.
    if (this.#isPrompted) this.#terminal.out.write('\n');
    this.#isPrompted = false;
  }

  print(text: string): void {
    if (text === '') return;
    const line = this.#isPrompted ? '\n' : '';
    this.#isPrompted = false;
    this.#terminal.out.write(line + (text.endsWith('\n') ? text : `${text}\n`));
  }

  /** Something has ended: a line can be written. */
  redraw(): void {
    this.#prompt();
  }

  clear(): void {}
  setTitle(): void {}
  notify(): void {}

  copy(): boolean {
    return false;
  }

  addToHistory(): void {}
  complete(): void {}

  setWorking(isWorking: boolean): void {
    if (isWorking === this.#isWorking) return;
    this.#isWorking = isWorking;
    if (isWorking) return;
    this.print(`${this.#listener?.status(this.columns) ?? ''}\n`);
    this.#prompt();
  }

  async pick<T>(options: PickOptions<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    this.#ask(choiceQuestion(options, resolve));
    return await promise;
  }

  askApproval(options: ApprovalOptions): Disposable {
    const asked = questionOf(options.request);
    let question: PlainQuestion;
    const ask = (next: PlainQuestion) => {
      question = next;
      this.#ask(next);
    };
    ask(asked === undefined ? callQuestion(options) : fieldQuestion(new QuestionForm(asked), options, ask));
    return { [Symbol.dispose]: () => this.#remove(question) };
  }

  #ask(question: PlainQuestion): void {
    this.#questions.push(question);
    this.print(question.text);
  }

  #remove(question: PlainQuestion): void {
    const index = this.#questions.indexOf(question);
    if (index !== -1) this.#questions.splice(index, 1);
  }

  /** Ctrl-C leaves an open question, and is otherwise a key of the chat. */
  #interrupt(): void {
    const [question] = this.#questions;
    if (question === undefined) return void this.#listener?.onKey(CTRL_C);
    this.#remove(question);
    question.leave();
  }

  /** Shows that a line can be written, if it is not shown. */
  #prompt(): void {
    if (this.#isPrompted || this.#isWorking || this.hasQuestion) return;
    this.#isPrompted = true;
    this.#terminal.out.write('› ');
  }

  take(): void {
    this.#lines = createInterface({ input: this.#terminal.input, terminal: false });
    this.#lines.on('line', (line) => this.#enter(line));
    this.#lines.on('close', () => {
      this.#takeEntered();
      if (this.#lines !== undefined) this.#listener?.onEnd();
    });
  }

  release(): void {
    const lines = this.#lines;
    this.#lines = undefined;
    lines?.close();
  }

  #enter(line: string): void {
    this.#isPrompted = false;
    const [question] = this.#questions;
    if (question !== undefined) {
      if (question.answer(line.trim())) this.#remove(question);
      else this.print(`"${line.trim()}" is not an answer.\n${question.text}`);
      return;
    }
    this.#entered.push(line);
    this.#pause.restart();
  }

  /** Takes one line that was typed, or the lines of a paste. */
  #takeEntered(): void {
    this.#pause.stop();
    const lines = this.#entered.splice(0);
    const [line] = lines;
    if (line === undefined) return;
    if (lines.length > 1) {
      this.#written += `${lines.join('\n')}\n`;
      this.print(`${lines.length} lines were pasted. Press Enter to send them, or Ctrl-C to drop them.`);
      this.#prompt();
    } else if (line.endsWith('\\')) this.#written += `${line.slice(0, -1)}\n`;
    else {
      const text = this.#written + line;
      this.#written = '';
      this.#listener?.onEnter(text);
    }
  }
}
