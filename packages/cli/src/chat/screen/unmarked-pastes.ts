import { InputPause } from './input-pause.ts';

/** Two short lines can be typed while the program does not read. */
const LEAST_CHARS = 10;
/** A line break with more text behind it. The last one alone is the Enter key. */
const LINES = /[\r\n]+[^\r\n]/;
const PASTE_BEGINS = '\u001b[200~';

/**
 * Finds texts that were pasted in a terminal that does not mark pastes, and marks them. They arrive as if they were typed,
 * so that each of their lines would be a message. It takes the keys of each read, and hands them on in order.
 *
 * Text that a person typed while the program was busy looks the same. So nothing is taken for a paste in a terminal that
 * marks pastes.
 */
export class UnmarkedPastes {
  readonly #onInput: (data: string) => void;
  /** The terminal is known to mark pastes. */
  #isMarking: boolean;
  #read: string[] = [];
  #paste: string | undefined;
  readonly #pause = new InputPause(() => this.#endPaste());

  constructor(onInput: (data: string) => void, { isMarking = false } = {}) {
    this.#onInput = onInput;
    this.#isMarking = isMarking;
  }

  /** Takes a key. All keys of one read come in one turn of the event loop. */
  take(data: string): void {
    this.#read.push(data);
    if (this.#read.length === 1) queueMicrotask(() => this.#endRead());
  }

  /** Hands on what it still holds. */
  flush(): void {
    this.#endRead();
    this.#endPaste();
  }

  #endRead(): void {
    const keys = this.#read;
    this.#read = [];
    const text = keys.join('');
    this.#isMarking ||= keys.some((key) => key.startsWith(PASTE_BEGINS));
    const isText = !this.#isMarking && keys.length > 0 && keys.every(isTyped);
    if (isText && (this.#paste !== undefined || isPaste(text))) {
      this.#paste = (this.#paste ?? '') + text;
      this.#pause.restart();
      return;
    }
    if (keys.length > 0) this.#endPaste();
    for (const key of keys) this.#onInput(key);
  }

  #endPaste(): void {
    this.#pause.stop();
    const paste = this.#paste;
    this.#paste = undefined;
    if (paste !== undefined) this.#onInput(`${PASTE_BEGINS}${paste}\u001b[201~`);
  }
}

function isPaste(text: string): boolean {
  return text.length >= LEAST_CHARS && LINES.test(text);
}

/** Printable characters, tabs and line breaks: no other key, and no sequence of one. */
function isTyped(key: string): boolean {
  return key === '\r' || key === '\n' || key === '\t' || (key >= ' ' && key !== '\u007f');
}
