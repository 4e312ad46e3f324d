import { cutLine, fitLine } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { type Terminal, wantsColors } from '../terminal.ts';
import type { KeptTexts } from './composer/kept-texts.ts';
import { type KeyId, matchesKey } from './pi-tui.ts';
import { type Appearance, canRedraw, STARTING } from './screen/first-frame.ts';
import type { Drawn } from './screen/frame.ts';
import { DrawnSurface } from './surface/drawn-surface.ts';
import { PlainSurface } from './surface/plain-surface.ts';
import type { Surface } from './surface/surface.ts';
import { TypedTexts } from './typed-texts.ts';

/** What a chat does with the screen, once it is loaded. */
export interface FrontListener {
  /** Lines above the composer. */
  above(columns: number): readonly string[];
  /** The line below the composer. */
  status(columns: number): string;
  onEnter(text: string): void;
  /** Returns the work that a key of the whole chat begins, which never fails. Undefined: it is none. */
  onKey(data: string): Promise<void> | undefined;
}

export interface FrontOptions extends Appearance {
  kept: KeptTexts;
  /** The conversation has no session yet. */
  isNew: boolean;
  /** The frame that is on the screen already. */
  drawn: Drawn | undefined;
}

/** Keys of the whole chat that can be pressed before it is loaded, and take effect then. */
const KEPT_KEYS: readonly KeyId[] = ['ctrl+g', 'ctrl+o', 'ctrl+r', 'ctrl+s', 'ctrl+v'];

const NOTICE_MS = 1_500;

/**
 * The part of a chat that a person uses first: the composer, which is ready before the rest is loaded. What is entered
 * until then is kept, and handed over in order, as are keys of the whole chat.
 */
export class Front {
  readonly terminal: Terminal;
  readonly texts: TypedTexts;
  readonly colors: boolean;
  readonly paint: Paint;
  readonly surface: Surface;
  readonly #left = Promise.withResolvers<void>();
  readonly #early: string[] = [];
  readonly #earlyKeys: string[] = [];
  #listener: FrontListener | undefined;
  #notice = '';
  readonly #isNew: boolean;

  constructor(terminal: Terminal, { kept, noColor, isPlain, drawn, isNew }: FrontOptions) {
    this.terminal = terminal;
    this.#isNew = isNew;
    this.colors = wantsColors(terminal, noColor);
    this.paint = createPaint(this.colors);
    this.surface = canRedraw(terminal, { isPlain })
      ? new DrawnSurface(terminal, this.paint, drawn)
      : new PlainSurface(terminal);
    this.texts = new TypedTexts(this.surface, kept);
  }

  /** Resolves when the person leaves. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** Columns of permanent text. */
  get columns(): number {
    return this.surface.columns;
  }

  start(): void {
    this.surface.start({
      above: (columns) => this.#above(columns),
      status: (columns) => this.#status(columns),
      onEnter: (text) => this.#enter(text),
      onChange: () => this.texts.keepSoon(),
      onKey: (data) => this.#onKey(data),
      onEnd: () => this.leave(),
    });
    this.texts.showHistory();
    if (this.#isNew) this.texts.openDraft(undefined);
  }

  /** Hands the screen to the rest of the chat, with what was entered before. */
  attach(listener: FrontListener): void {
    this.#listener = listener;
    for (const text of this.#early.splice(0)) listener.onEnter(text);
    this.surface.redraw();
    void this.#pressEarly(listener);
  }

  /** Restores the terminal. What was typed and not sent is kept for the next time. */
  stop(): void {
    // Nothing entered is lost, also if the chat could not be opened.
    this.texts.end(this.#early.splice(0));
    this.surface.stop();
  }

  leave(): void {
    this.#left.resolve();
  }

  /** Replaces what is in the composer. */
  compose(text: string): void {
    this.surface.text = text;
    this.texts.keepSoon();
  }

  /** Shows a short text in place of the status for a moment, or prints it. */
  notice(text: string): void {
    if (!this.surface.showsStatus) {
      this.surface.print(text);
      return;
    }
    this.#notice = text;
    this.surface.redraw();
    setTimeout(() => {
      if (this.#notice !== text) return;
      this.#notice = '';
      this.surface.redraw();
    }, NOTICE_MS).unref();
  }

  #enter(text: string): void {
    if (this.#listener === undefined) {
      if (text.trim() !== '') this.#early.push(text);
      if (!this.surface.keepsEntered) this.surface.redraw();
    } else this.#listener.onEnter(text);
  }

  #onKey(data: string): boolean {
    if (matchesKey(data, 'ctrl+l')) {
      this.surface.clear();
      return true;
    }
    if (matchesKey(data, 'ctrl+z')) {
      void this.#suspend();
      return true;
    }
    if (this.surface.hasQuestion) return false;
    if (this.#listener !== undefined) return this.#listener.onKey(data) !== undefined;
    const isEnd = matchesKey(data, 'ctrl+c') || (matchesKey(data, 'ctrl+d') && this.surface.text === '');
    if (isEnd) this.leave();
    const isKept = KEPT_KEYS.some((key) => matchesKey(data, key));
    // A person who sees no effect presses again.
    if (isKept && !this.#earlyKeys.includes(data)) this.#earlyKeys.push(data);
    return isEnd || isKept;
  }

  async #pressEarly(listener: FrontListener): Promise<void> {
    for (const data of this.#earlyKeys.splice(0)) await listener.onKey(data);
  }

  #above(columns: number): readonly string[] {
    if (this.#listener !== undefined) return this.#listener.above(columns);
    return [...this.#early.map((text) => this.paint.dim(fitLine(`▹ ${text}`, columns))), ''];
  }

  #status(columns: number): string {
    if (this.#notice !== '') return this.paint.warn(cutLine(this.#notice, columns));
    return this.#listener?.status(columns) ?? this.paint.dim(STARTING);
  }

  async #suspend(): Promise<void> {
    await this.surface.settled;
    this.surface.release();
    process.once('SIGCONT', () => this.surface.take());
    process.kill(process.pid, 'SIGTSTP');
  }
}
