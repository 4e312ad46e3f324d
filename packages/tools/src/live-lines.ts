import { cutLine } from '@longhaul/core/tool-output';
import type { JsonObject } from '@longhaul/protocol';

const INTERVAL_MS = 200;
const MAX_TITLE = 120;
const MAX_LINE = 200;

export interface LiveLinesOptions {
  /** The last lines of the output. */
  lastLines: () => readonly string[];
  report: (update: { title: string; metadata: JsonObject }) => void;
}

/**
 * Reports the last lines of a running command at most every 200 ms. If the command then falls silent, its last lines
 * are reported too.
 */
export class LiveLines implements Disposable {
  readonly #options: LiveLinesOptions;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveLinesOptions) {
    this.#options = options;
  }

  /** There is more output. */
  changed(): void {
    const waitMs = this.#lastAt + INTERVAL_MS - performance.now();
    if (waitMs <= 0) this.#report();
    else this.#timer ??= setTimeout(() => this.#report(), waitMs).unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#options.lastLines();
    if (lines.length === 0) return;
    this.#lastAt = performance.now();
    this.#options.report({
      title: cutLine(lines.at(-1) ?? '', MAX_TITLE),
      metadata: { lines: lines.map((line) => cutLine(line, MAX_LINE)) },
    });
  }
}
