import type { Paint } from '../../render/paint.ts';
import { reportBackground } from '../../render/theme.ts';
import { columnsOf, type Terminal } from '../../terminal.ts';
import type { Completions } from '../composer/completions.ts';
import { Composer } from '../composer/composer.ts';
import { isKeyRelease, matchesKey } from '../pi-tui.ts';
import { BackgroundQuery } from '../screen/background-query.ts';
import { ChatTerminal } from '../screen/chat-terminal.ts';
import type { Drawn } from '../screen/frame.ts';
import { ScrollScreen } from '../screen/scroll-screen.ts';
import { TerminalWindow } from '../screen/terminal-window.ts';
import { DrawnQuestions } from './drawn-questions.ts';
import { Lines } from './lines.ts';
import type { ApprovalOptions, PickOptions, Surface, SurfaceListener } from './surface.ts';
import { WorkSign } from './work-sign.ts';

const LEAST_COLUMNS = 20;

/** Permanent text, and below it lines that are redrawn: the activity, the composer or a question, the status. */
export class DrawnSurface implements Surface {
  readonly #screen: ScrollScreen;
  readonly #composer: Composer;
  readonly #terminal: Pick<Terminal, 'out' | 'input'>;
  readonly #window: TerminalWindow;
  readonly #questions: DrawnQuestions;
  readonly #background = new BackgroundQuery({
    write: (text) => this.#screen.terminal.write(text),
    onAnswer: (color) => {
      reportBackground(color);
      this.redraw();
    },
  });
  readonly #asksColor: boolean;
  #listener: SurfaceListener | undefined;
  readonly #sign = new WorkSign(() => this.redraw());
  /** Keys of the text since it was entered, or since a key of the whole chat. */
  #isWriting = false;
  keys = 0;
  readonly keepsEntered = false;
  readonly showsStatus = true;

  /** @param drawn The frame that is on the screen already. */
  constructor(terminal: Pick<Terminal, 'out' | 'input' | 'env'>, paint: Paint, drawn: Drawn | undefined) {
    // The console of Linux prints a part of the question.
    this.#asksColor = paint.hasStyles && terminal.env['TERM'] !== 'linux';
    this.#terminal = terminal;
    this.#questions = new DrawnQuestions({
      paint,
      onChange: () => this.#arrange(),
      redraw: () => this.redraw(),
    });
    this.#screen = new ScrollScreen(new ChatTerminal(), drawn);
    this.#window = new TerminalWindow(this.#screen.terminal);
    this.#composer = new Composer(this.#screen, paint);
  }

  get columns(): number {
    return Math.max(
      LEAST_COLUMNS,
      Math.min(columnsOf(this.#terminal.out), this.#screen.terminal.columns - 1),
    );
  }

  get text(): string {
    return this.#composer.getExpandedText();
  }

  set text(text: string) {
    this.#composer.setText(text);
    this.redraw();
  }

  insert(text: string): void {
    this.#composer.insertTextAtCursor(text);
    this.redraw();
  }

  get isCompleting(): boolean {
    return this.#composer.isShowingAutocomplete();
  }

  get frame(): number {
    return this.#sign.frame;
  }

  get hasQuestion(): boolean {
    return this.#questions.open !== undefined;
  }

  start(listener: SurfaceListener): void {
    this.#listener = listener;
    this.#composer.onChange = () => listener.onChange();
    this.#composer.onSubmit = (text) => {
      this.#isWriting = false;
      listener.onEnter(text);
    };
    this.#screen.addInputListener((data) => (this.#takes(data, listener) ? { consume: true } : undefined));
    this.#arrange();
    this.take();
    if (this.#asksColor) this.#background.ask();
  }

  get settled(): Promise<void> {
    return this.#background.answered;
  }

  stop(): void {
    this.setWorking(false);
    this.release();
  }

  print(text: string): void {
    this.#screen.print(text);
  }

  redraw(): void {
    this.#screen.requestRender();
  }

  clear(): void {
    this.#screen.requestRender(true);
  }

  /** While something is at work, the lines are redrawn for its sign and its time. */
  setWorking(isWorking: boolean): void {
    if (this.#sign.set(isWorking)) this.redraw();
  }

  setTitle(title: string): void {
    this.#window.setTitle(title);
  }

  notify(text: string): void {
    this.#window.notify(text);
  }

  copy(text: string): boolean {
    this.#window.copy(text);
    return true;
  }

  addToHistory(text: string): void {
    this.#composer.addToHistory(text);
  }

  complete(completions: Completions): void {
    this.#composer.complete(completions);
  }

  pick<T>(options: PickOptions<T>): Promise<T | undefined> {
    return this.#questions.pick(options, { isHeld: this.#isWriting && this.text !== '' });
  }

  askApproval({ isUnexpected, ...options }: ApprovalOptions): Disposable {
    return this.#questions.askApproval(options, { isHeld: isUnexpected || this.text !== '' });
  }

  take(): void {
    this.#screen.start();
    this.#window.take();
    // A frame that was requested just before the last stop is never drawn, and prevents later requests.
    this.#screen.renderNow();
  }

  release(): void {
    this.#window.release();
    this.#screen.stop();
    // It restores the mode that it found, which is the one of the first frame.
    this.#terminal.input.setRawMode(false);
  }

  /** Returns true if the input is not a key for the composer or the question. */
  #takes(data: string, listener: SurfaceListener): boolean {
    // Some terminals also report that a key is released. This would count as a second press.
    if (isKeyRelease(data) || this.#window.takesReport(data) || this.#background.take(data)) return true;
    if (this.hasQuestion) return listener.onKey(data);
    this.keys += 1;
    if (this.#questions.holds && this.text === '' && matchesKey(data, 'enter')) {
      this.#questions.openHeld();
      return true;
    }
    // The key may open a question at once, which it is meant for.
    this.#isWriting = false;
    const isTaken = listener.onKey(data);
    this.#isWriting = !isTaken;
    return isTaken;
  }

  #arrange(): void {
    const { open } = this.#questions;
    this.#screen.clear();
    this.#screen.addChild(new Lines((columns) => this.#listener?.above(columns) ?? []));
    this.#screen.addChild(new Lines((columns) => this.#questions.heldLines(columns, this)));
    this.#screen.addChild(open ?? this.#composer);
    this.#screen.addChild(new Lines((columns) => [this.#listener?.status(columns) ?? '']));
    this.#screen.setFocus(open ?? this.#composer);
    this.redraw();
  }
}
