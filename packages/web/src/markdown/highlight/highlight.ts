import type { Language } from './language-names.ts';
import type { HighlightedLines, HighlightRequest, Line } from './messages.ts';

/** A hostile text can make a pattern of a grammar take forever. */
const SILENCE_MS = 10_000;
const MAX_KEPT = 40;

interface Pending {
  lines: Line[];
  onLines: (lines: readonly Line[], isLast: boolean) => void;
}

/** Colours code in a worker that starts with the first code. */
class Highlighter {
  readonly #kept = new Map<string, readonly Line[]>();
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;

  /** Lines that were coloured before. */
  known(code: string, language: Language): readonly Line[] | undefined {
    return this.#kept.get(keyOf(code, language));
  }

  /** Calls `onLines` with the coloured lines so far, several times. Returns a function that ends this. */
  request(code: string, language: Language, onLines: (lines: readonly Line[]) => void): () => void {
    if (typeof Worker === 'undefined') return () => undefined;
    this.#count += 1;
    const id = this.#count;
    this.#pending.set(id, {
      lines: [],
      onLines: (lines, isLast) => {
        onLines(lines);
        if (isLast) this.#keep(keyOf(code, language), lines);
      },
    });
    const request: HighlightRequest = { id, code, language };
    this.#start().postMessage(request);
    this.#watch();
    return () => this.#pending.delete(id);
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<HighlightedLines>) => this.#take(data);
    worker.onerror = () => this.#end();
    this.#worker = worker;
    return worker;
  }

  #take({ id, lines, isLast }: HighlightedLines): void {
    this.#watch();
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.lines = [...pending.lines, ...lines];
    if (isLast) this.#pending.delete(id);
    pending.onLines(pending.lines, isLast);
  }

  /** Ends a worker that does not answer. Its code stays without colours. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size > 0) this.#timer = setTimeout(() => this.#end(), SILENCE_MS);
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#pending.clear();
  }

  #keep(key: string, lines: readonly Line[]): void {
    this.#kept.set(key, lines);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

export const highlighter = new Highlighter();

function keyOf(code: string, language: Language): string {
  return `${language}\n${code}`;
}
