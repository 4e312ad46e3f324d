import { matchesKey } from '@earendil-works/pi-tui';
import { cutLine, fitLine } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';
import type { KeptTexts } from './composer/kept-texts.ts';
import { Layout } from './layout.ts';

/** What a chat does with the screen, once it is loaded. */
export interface FrontListener {
  /** Lines above the composer. */
  above(columns: number): readonly string[];
  /** The line below the composer. */
  status(columns: number): string;
  onEnter(text: string): void;
  /** Returns true if the key means something for the whole chat. */
  onKey(data: string): boolean;
}

const DRAFT_MS = 200;
const NOTICE_MS = 1_500;

/**
 * The part of a chat that a person sees first: the composer, which is ready before the rest is loaded. What is entered
 * until then is kept, and handed over in order.
 */
export class Front {
  readonly terminal: Terminal;
  readonly kept: KeptTexts;
  readonly colors: boolean;
  readonly paint: Paint;
  readonly layout: Layout;
  readonly #left = Promise.withResolvers<void>();
  readonly #early: string[] = [];
  #listener: FrontListener | undefined;
  #notice = '';
  #draftTimer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal, { kept, noColor }: { kept: KeptTexts; noColor: boolean | undefined }) {
    this.terminal = terminal;
    this.kept = kept;
    this.colors = wantsColors(terminal, noColor);
    this.paint = createPaint(this.colors);
    this.layout = new Layout({
      paint: this.paint,
      above: (columns) => this.#above(columns),
      below: (columns) => [this.#below(columns)],
    });
  }

  /** Resolves when the person leaves. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** Columns of permanent text. */
  get columns(): number {
    const { columns } = this.layout.screen.terminal;
    return Math.max(20, Math.min(columnsOf(this.terminal.out), columns - 1));
  }

  start(): void {
    const { composer, screen } = this.layout;
    for (const text of this.kept.history()) composer.addToHistory(text);
    composer.setText(this.kept.draft());
    composer.onChange = () => this.#keepDraft();
    composer.onSubmit = (text) => this.#enter(text);
    screen.addInputListener((data) => (this.#onKey(data) ? { consume: true } : undefined));
    screen.setSuspendSignalHandler(() => this.#suspend());
    this.layout.start();
  }

  /** Hands the screen to the rest of the chat, with what was entered before. */
  attach(listener: FrontListener): void {
    this.#listener = listener;
    for (const text of this.#early.splice(0)) listener.onEnter(text);
    this.layout.redraw();
  }

  /** Restores the terminal. What was typed and not sent is kept for the next time. */
  stop(): void {
    clearTimeout(this.#draftTimer);
    this.kept.keepDraft(this.layout.composer.getExpandedText());
    // Nothing entered is lost, also if the chat could not be opened.
    for (const text of this.#early.splice(0)) this.kept.keepDraft(text);
    this.layout.stop();
  }

  leave(): void {
    this.#left.resolve();
  }

  /** Replaces what is in the composer. */
  compose(text: string): void {
    this.layout.composer.setText(text);
    this.#keepDraft();
    this.layout.redraw();
  }

  /** Shows a short text in place of the status for a moment. */
  notice(text: string): void {
    this.#notice = text;
    this.layout.redraw();
    setTimeout(() => {
      if (this.#notice !== text) return;
      this.#notice = '';
      this.layout.redraw();
    }, NOTICE_MS).unref();
  }

  #enter(text: string): void {
    if (this.#listener === undefined) {
      if (text.trim() !== '') this.#early.push(text);
      this.layout.redraw();
    } else this.#listener.onEnter(text);
  }

  #onKey(data: string): boolean {
    if (matchesKey(data, 'ctrl+l')) {
      this.layout.screen.requestRender(true);
      return true;
    }
    if (matchesKey(data, 'ctrl+z')) {
      this.#suspend();
      return true;
    }
    if (this.layout.hasPanel) return false;
    if (this.#listener !== undefined) return this.#listener.onKey(data);
    const isEnd =
      matchesKey(data, 'ctrl+c') || (matchesKey(data, 'ctrl+d') && this.layout.composer.getText() === '');
    if (isEnd) this.leave();
    return isEnd;
  }

  #above(columns: number): readonly string[] {
    if (this.#listener !== undefined) return this.#listener.above(columns);
    return [...this.#early.map((text) => this.paint.dim(fitLine(`▹ ${text}`, columns))), ''];
  }

  #below(columns: number): string {
    if (this.#notice !== '') return this.paint.warn(cutLine(this.#notice, columns));
    return this.#listener?.status(columns) ?? this.paint.dim('starting');
  }

  #keepDraft(): void {
    this.#draftTimer ??= setTimeout(() => {
      this.#draftTimer = undefined;
      this.kept.keepDraft(this.layout.composer.getExpandedText());
    }, DRAFT_MS);
  }

  #suspend(): void {
    this.layout.pauseFor(() => {
      process.kill(process.pid, 'SIGTSTP');
    });
  }
}
