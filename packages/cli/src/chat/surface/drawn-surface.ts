import { fitLine, printable } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { reportBackground } from '../../render/theme.ts';
import { columnsOf, type Terminal } from '../../terminal.ts';
import type { Completions } from '../composer/completions.ts';
import { Composer } from '../composer/composer.ts';
import { ApprovalPanel } from '../panels/approval-panel.ts';
import type { Panel } from '../panels/panel.ts';
import { Picker } from '../panels/picker.ts';
import { isKeyRelease, ProcessTerminal } from '../pi-tui.ts';
import { BackgroundQuery } from '../screen/background-query.ts';
import type { Drawn } from '../screen/frame.ts';
import { ScrollScreen } from '../screen/scroll-screen.ts';
import { Lines } from './lines.ts';
import type { ApprovalOptions, PickOptions, Surface, SurfaceListener } from './surface.ts';

const FRAME_MS = 120;
const HELD = '? Send or clear your text, then answer the question';
const LEAST_COLUMNS = 20;
/** The terminal reports when it comes to the front, and when it leaves. */
const FOCUS_ON = '\u001b[?1004h';
const FOCUS_OFF = '\u001b[?1004l';
const FOCUSED = '\u001b[I';
const UNFOCUSED = '\u001b[O';

/** Permanent text, and below it lines that are redrawn: the activity, the composer or a question, the status. */
export class DrawnSurface implements Surface {
  readonly #screen: ScrollScreen;
  readonly #composer: Composer;
  readonly #terminal: Pick<Terminal, 'out' | 'input'>;
  readonly #paint: Paint;
  readonly #panels: Panel[] = [];
  readonly #background = new BackgroundQuery({
    write: (text) => this.#screen.terminal.write(text),
    onAnswer: (color) => {
      reportBackground(color);
      this.redraw();
    },
  });
  readonly #asksColor: boolean;
  /** A question waits until the text that is being written is sent or cleared: it must not take its keys. */
  #isHeld = false;
  #listener: SurfaceListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #title = '';
  /** A terminal that reports nothing counts as in front. */
  #isInFront = true;
  readonly keepsEntered = false;
  readonly showsStatus = true;
  frame = 0;

  /** @param drawn The frame that is on the screen already. */
  constructor(terminal: Pick<Terminal, 'out' | 'input' | 'env'>, paint: Paint, drawn: Drawn | undefined) {
    // The console of Linux prints a part of the question.
    this.#asksColor = paint.hasStyles && terminal.env['TERM'] !== 'linux';
    this.#terminal = terminal;
    this.#paint = paint;
    this.#screen = new ScrollScreen(new ProcessTerminal(), drawn);
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
    this.#askHeld();
    this.redraw();
  }

  insert(text: string): void {
    this.#composer.insertTextAtCursor(text);
    this.redraw();
  }

  get isCompleting(): boolean {
    return this.#composer.isShowingAutocomplete();
  }

  get hasQuestion(): boolean {
    return this.#panels.length > 0 && !this.#isHeld;
  }

  start(listener: SurfaceListener): void {
    this.#listener = listener;
    this.#composer.onChange = () => {
      listener.onChange();
      this.#askHeld();
    };
    this.#composer.onSubmit = (text) => {
      listener.onEnter(text);
      this.#askHeld();
    };
    this.#screen.addInputListener((data) => {
      // Some terminals report also that a key is let go. It would count as a second press.
      if (isKeyRelease(data)) return { consume: true };
      const isFocus = data === FOCUSED || data === UNFOCUSED;
      if (isFocus) this.#isInFront = data === FOCUSED;
      const isNoKey = isFocus || this.#background.take(data);
      return isNoKey || listener.onKey(data) ? { consume: true } : undefined;
    });
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
    if (isWorking === (this.#timer !== undefined)) return;
    if (isWorking) {
      this.#timer = setInterval(() => {
        this.frame += 1;
        this.redraw();
      }, FRAME_MS);
    } else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.redraw();
  }

  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#screen.terminal.setTitle(printable(title));
  }

  /** Terminals that do not know these sequences (OSC 9 and OSC 777) ignore them. */
  notify(text: string): void {
    if (this.#isInFront) return;
    const shown = printable(text).replaceAll(/[;\n]/g, ' ');
    this.#screen.terminal.write(`\u001b]9;${shown}\u0007\u001b]777;notify;Longhaul;${shown}\u0007`);
  }

  /** OSC 52 also works over ssh. The terminal does not say whether it did it. */
  copy(text: string): boolean {
    this.#screen.terminal.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    return true;
  }

  addToHistory(text: string): void {
    this.#composer.addToHistory(text);
  }

  complete(completions: Completions): void {
    this.#composer.complete(completions);
  }

  async pick<T>(options: PickOptions<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    using _shown = this.#show(new Picker({ ...options, paint: this.#paint, onDone: resolve }));
    return await promise;
  }

  askApproval(options: ApprovalOptions): Disposable {
    this.#isHeld = this.text !== '';
    const shown = this.#show(new ApprovalPanel({ ...options, paint: this.#paint }));
    return {
      [Symbol.dispose]: () => {
        this.#isHeld = false;
        shown[Symbol.dispose]();
      },
    };
  }

  take(): void {
    this.#screen.start();
    this.#screen.terminal.write(FOCUS_ON);
    // A frame that was requested just before the last stop is never drawn, and prevents later requests.
    this.#screen.renderNow();
  }

  release(): void {
    this.#screen.terminal.write(FOCUS_OFF);
    this.#screen.stop();
    // It restores the mode that it found, which is the one of the first frame.
    this.#terminal.input.setRawMode(false);
  }

  /** Shows a panel in place of the composer until the result is disposed. The newest one is shown. */
  #show(panel: Panel): Disposable {
    this.#panels.push(panel);
    this.#arrange();
    return {
      [Symbol.dispose]: () => {
        const index = this.#panels.indexOf(panel);
        if (index !== -1) this.#panels.splice(index, 1);
        this.#arrange();
      },
    };
  }

  #askHeld(): void {
    if (!this.#isHeld || this.text !== '') return;
    this.#isHeld = false;
    this.#arrange();
  }

  #arrange(): void {
    const panel = this.#isHeld ? undefined : this.#panels.at(-1);
    this.#screen.clear();
    this.#screen.addChild(new Lines((columns) => this.#listener?.above(columns) ?? []));
    if (this.#isHeld)
      this.#screen.addChild(new Lines((columns) => [this.#paint.warn(fitLine(HELD, columns))]));
    this.#screen.addChild(panel ?? this.#composer);
    this.#screen.addChild(new Lines((columns) => [this.#listener?.status(columns) ?? '']));
    this.#screen.setFocus(panel ?? this.#composer);
    this.redraw();
  }
}
