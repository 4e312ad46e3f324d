import { ProcessTerminal } from '@earendil-works/pi-tui';
import { printable } from '../render/format.ts';
import type { Paint } from '../render/paint.ts';
import { Composer } from './composer/composer.ts';
import type { Panel } from './panels/panel.ts';
import { Picker, type PickerOptions } from './panels/picker.ts';
import { ScrollScreen } from './screen/scroll-screen.ts';
import { Lines } from './view/lines.ts';

export interface LayoutOptions {
  paint: Paint;
  /** Lines above the composer: the current activity, the todo list, the queue. */
  above: (columns: number) => readonly string[];
  /** The line below the composer. */
  below: (columns: number) => readonly string[];
}

const FRAME_MS = 120;
/** The terminal reports when it comes to the front, and when it leaves. */
const FOCUS_ON = '\u001b[?1004h';
const FOCUS_OFF = '\u001b[?1004l';
const FOCUSED = '\u001b[I';
const UNFOCUSED = '\u001b[O';

/** The screen of a chat: permanent text, and below it the activity, the composer or a panel, and the status. */
export class Layout {
  readonly screen = new ScrollScreen(new ProcessTerminal(), true);
  readonly composer: Composer;
  readonly #options: LayoutOptions;
  readonly #panels: Panel[] = [];
  #timer: NodeJS.Timeout | undefined;
  #title = '';
  /** A terminal that reports nothing counts as in front. */
  #isFocused = true;
  /** Counts while something is at work. */
  frame = 0;

  constructor(options: LayoutOptions) {
    this.#options = options;
    this.composer = new Composer(this.screen, options.paint);
    this.screen.addInputListener((data) => {
      if (data !== FOCUSED && data !== UNFOCUSED) return undefined;
      this.#isFocused = data === FOCUSED;
      return { consume: true };
    });
    this.#arrange();
  }

  start(): void {
    this.screen.start();
    this.screen.terminal.write(FOCUS_ON);
  }

  stop(): void {
    this.setWorking(false);
    this.#stopScreen();
  }

  #stopScreen(): void {
    this.screen.terminal.write(FOCUS_OFF);
    this.screen.stop();
  }

  print(text: string): void {
    this.screen.print(text);
  }

  redraw(): void {
    this.screen.requestRender();
  }

  /** While something is at work, the lines are redrawn for its sign and its time. */
  setWorking(isWorking: boolean): void {
    if (isWorking === (this.#timer !== undefined)) return;
    if (!isWorking) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else
      this.#timer = setInterval(() => {
        this.frame += 1;
        this.redraw();
      }, FRAME_MS);
    this.redraw();
  }

  get hasPanel(): boolean {
    return this.#panels.length > 0;
  }

  /** Shows a panel in place of the composer until the result is disposed. The newest one is shown. */
  show(panel: Panel): Disposable {
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

  /** Lets the person choose. Undefined: nothing was chosen. */
  async pick<T>(options: Omit<PickerOptions<T>, 'paint' | 'onDone'>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    using _shown = this.show(new Picker({ ...options, paint: this.#options.paint, onDone: resolve }));
    return await promise;
  }

  setTitle(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.screen.terminal.setTitle(printable(title));
  }

  /**
   * Asks the terminal to notify the person, unless it has told that it is in front. Terminals that do not know the
   * sequences ignore them.
   */
  notify(text: string): void {
    if (this.#isFocused) return;
    const shown = printable(text).replaceAll(';', ',');
    this.screen.terminal.write(`\u001b]9;${shown}\u0007\u001b]777;notify;Longhaul;${shown}\u0007`);
  }

  /** Leaves the terminal to another program. */
  async suspended<T>(work: () => Promise<T>): Promise<T> {
    this.#stopScreen();
    try {
      return await work();
    } finally {
      this.start();
    }
  }

  /** Leaves the terminal, calls `stop`, which stops this process, and takes the terminal again when it continues. */
  pauseFor(stop: () => void): void {
    this.#stopScreen();
    process.once('SIGCONT', () => this.start());
    stop();
  }

  #arrange(): void {
    const { above, below } = this.#options;
    const panel = this.#panels.at(-1);
    this.screen.clear();
    this.screen.addChild(new Lines(above));
    this.screen.addChild(panel ?? this.composer);
    this.screen.addChild(new Lines(below));
    this.screen.setFocus(panel ?? this.composer);
    this.screen.requestRender();
  }
}
