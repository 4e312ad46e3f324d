import { widthOf } from './format.ts';
import type { LiveInput } from './live-line.ts';

/** A key as `node:readline` names it. */
export interface Key {
  name?: string | undefined;
  ctrl?: boolean | undefined;
  meta?: boolean | undefined;
  /** The characters from the terminal. */
  sequence?: string | undefined;
}

const PROMPT = '› ';

/** Edits one line of text with a cursor. Has no side effects: it takes keys and returns what to draw. */
export class LineEditor {
  #before: string[] = [];
  #behind: string[] = [];
  #isPasting = false;

  get text(): string {
    return [...this.#before, ...this.#behind].join('');
  }

  clear(): void {
    this.#before = [];
    this.#behind = [];
  }

  /** @returns Whether Enter was pressed. */
  press({ name = '', ctrl = false, meta = false, sequence = '' }: Key): boolean {
    if (name === 'paste-start' || name === 'paste-end') this.#isPasting = name === 'paste-start';
    else if (this.#isPasting && (name === 'return' || name === 'enter')) this.#insert('\n');
    else if (name === 'return' || name === 'enter') return true;
    else if (ctrl) this.#control(name);
    else if (!this.#move(name) && !meta) this.#insert(sequence);
    return false;
  }

  /** Returns the line for this many columns; a longer one is cut around the cursor. Undefined if nothing is typed. */
  draw(columns: number): LiveInput | undefined {
    if (this.#before.length + this.#behind.length === 0) return undefined;
    const room = columns - PROMPT.length - 1;
    const behind = fitted(this.#behind, Math.floor(room / 3));
    const before = fitted(this.#before.toReversed(), room - widthOf(behind));
    return { text: PROMPT + [...before].reverse().join('') + behind, columnsBehind: widthOf(behind) };
  }

  #insert(text: string): void {
    for (const character of text) {
      const isShown = character === '\n' || character === '\t' || !/\p{Cc}/u.test(character);
      if (isShown) this.#before.push(character);
    }
  }

  #control(name: string): void {
    if (name === 'u') this.#before = [];
    else if (name === 'k') this.#behind = [];
    else if (name === 'a') this.#move('home');
    else if (name === 'e') this.#move('end');
    else if (name === 'h') this.#before.pop();
    else if (name === 'w') this.#dropWord();
  }

  #dropWord(): void {
    while (/\s/.test(this.#before.at(-1) ?? '')) this.#before.pop();
    while (/\S/.test(this.#before.at(-1) ?? '')) this.#before.pop();
  }

  /** @returns False for a key that neither moves the cursor nor deletes. */
  #move(name: string): boolean {
    const before = this.#before;
    const behind = this.#behind;
    if (name === 'backspace') before.pop();
    else if (name === 'delete') behind.shift();
    else if (name === 'left' && before.length > 0) behind.unshift(...before.splice(-1));
    else if (name === 'right') before.push(...behind.splice(0, 1));
    else if (name === 'home') behind.unshift(...before.splice(0));
    else if (name === 'end') before.push(...behind.splice(0));
    else return OTHER_KEYS.test(name);
    return true;
  }
}

const OTHER_KEYS = /^(?:left|up|down|tab|escape|insert|clear|page\w+|f\d+|undefined)$/;

/** Returns as many characters as fit, with a sign for each line break. */
function fitted(characters: readonly string[], columns: number): string {
  let text = '';
  for (const character of characters) {
    const next = text + (character === '\n' ? '⏎' : character === '\t' ? ' ' : character);
    if (widthOf(next) > columns) break;
    text = next;
  }
  return text;
}
