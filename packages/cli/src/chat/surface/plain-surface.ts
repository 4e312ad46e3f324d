import { createInterface, type Interface } from 'node:readline';
import { plural } from '../../render/format.ts';
import { columnsOf, type Terminal } from '../../terminal.ts';
import { alwaysOf, type GivenAnswer } from '../panels/approval-panel.ts';
import type { ApprovalOptions, PickOptions, Surface, SurfaceListener } from './surface.ts';

const CTRL_C = '\u0003';
const MAX_CHOICES = 30;

interface Question {
  text: string;
  /** Returns false if the line is not an answer. */
  answer: (line: string) => boolean;
  /** Ctrl-C. */
  leave: () => void;
}

/**
 * Plain lines, of which nothing is redrawn: for screen readers, and for terminals that cannot move their cursor. The
 * terminal itself edits the line that is written. A line that ends with a backslash continues in the next one.
 */
export class PlainSurface implements Surface {
  readonly #terminal: Terminal;
  readonly #questions: Question[] = [];
  #listener: SurfaceListener | undefined;
  #lines: Interface | undefined;
  #isWorking = false;
  /** The last line is the sign at which a person writes. */
  #isPrompted = false;
  #written = '';
  readonly #onInterrupt = () => this.#interrupt();
  readonly frame = 0;
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

  async pick<T>({ title, items }: PickOptions<T>): Promise<T | undefined> {
    const shown = items.slice(0, MAX_CHOICES);
    const lines = shown.map(
      ({ label, description }, index) => `${index + 1}  ${label}${description ? ` (${description})` : ''}`,
    );
    const more =
      items.length > shown.length ? [`and ${items.length - shown.length} more: type words to find one`] : [];
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    this.#ask({
      text: [title, ...lines, ...more, 'Type a number, or only Enter to cancel:'].join('\n'),
      answer: (line) => {
        const found =
          line === ''
            ? undefined
            : (shown[Number(line) - 1] ?? items.find(({ label }) => label.includes(line)));
        if (line !== '' && found === undefined) return false;
        resolve(found?.value);
        return true;
      },
      leave: () => resolve(undefined),
    });
    return await promise;
  }

  askApproval({ request, waiting, onAnswer, onStop }: ApprovalOptions): Disposable {
    const more = waiting === 0 ? '' : ` ${plural(waiting, 'more question')} to come.`;
    const question: Question = {
      text: `Allow ${request.toolName}? y: once. a: always in this session, ${alwaysOf(request)}. n: no; n and words: no, with this reason. s: stop.${more}`,
      answer: (line) => {
        if (line === 's') onStop();
        else {
          const answer = answerOf(line);
          if (answer === undefined) return false;
          onAnswer(answer);
        }
        return true;
      },
      leave: onStop,
    };
    this.#ask(question);
    return { [Symbol.dispose]: () => this.#remove(question) };
  }

  #ask(question: Question): void {
    this.#questions.push(question);
    this.print(question.text);
  }

  #remove(question: Question): void {
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
    if (line.endsWith('\\')) {
      this.#written += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = this.#written + line;
    this.#written = '';
    this.#listener?.onEnter(text);
  }
}

function answerOf(line: string): GivenAnswer | undefined {
  const [, word = '', reason = ''] = /^(\w+)[,.:]?\s*(.*)$/.exec(line) ?? [];
  if (/^(?:y|yes)$/i.test(word)) return { answer: 'once' };
  if (/^(?:a|always)$/i.test(word)) return { answer: 'always' };
  if (!/^(?:n|no)$/i.test(word)) return undefined;
  return reason === '' ? { answer: 'deny' } : { answer: 'deny', reason };
}
