import { stripVTControlCharacters } from 'node:util';

/** `950`, `8.4k`, `127k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 99_950) return `${(tokens / 1_000).toFixed(1).replace(/\.0$/, '')}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** `0.4 s`, `12 s`, `2 min 03 s`, `1 h 02 min`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** `$0.0042`, `$0.43`, `$12.50`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.1 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/**
 * `812 B`, `4.1 kB`, `3.2 MB`.
 *
 * @param other A size that is shown next to this one. If both would look equal, the result has all digits.
 */
export function formatBytes(bytes: number, other = bytes): string {
  if (other !== bytes && formatBytes(bytes) === formatBytes(other)) return `${bytes} B`;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

export function plural(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

const PLAIN = /^[\u0020-\u007e]*$/;
/** East Asian wide characters and emoji. Source: Unicode's EastAsianWidth.txt, the blocks that are wide throughout. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{Mark}|\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns the columns that a text takes in a terminal, without colours. The result is approximate: libraries that know
 * every emoji take longer to load than all of the command's own code.
 */
export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (PLAIN.test(shown)) return shown.length;
  let width = 0;
  for (const character of shown) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Returns one line of at most `columns`, with `…` if it was cut. Blanks and line breaks become single blanks. */
export function fitLine(text: string, columns: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return cutLine(line, columns);
}

/** The beginning of a line, with `…` if it is longer than `columns`. Blanks stay as they are. */
export function cutLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Breaks a line after each `columns`, also in a word. */
export function breakLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const lines: string[] = [];
  let kept = '';
  let width = 0;
  for (const character of line) {
    const more = widthOf(character);
    if (kept !== '' && width + more > columns) {
      lines.push(kept);
      kept = '';
      width = 0;
    }
    kept += character;
    width += more;
  }
  return [...lines, kept];
}

/** The end of a line, with `…` before it if it is longer than `columns`. */
export function cutStart(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const character of [...line].reverse()) {
    width += widthOf(character);
    if (width > columns - 1) break;
    kept = character + kept;
  }
  return `…${kept.trimStart()}`;
}

/** Sets one text at the left end of a line and one at the right end. */
export function spread(left: string, right: string, columns: number): string {
  const gap = Math.max(2, columns - widthOf(left) - widthOf(right));
  return right === '' ? left : `${left}${' '.repeat(gap)}${right}`;
}

/** Removes characters that move the cursor or change the terminal: the text comes from models and files. */
export function printable(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Returns the beginning of a session's id that identifies it: a UUIDv7 begins with its time in milliseconds. */
export function shortId(id: string): string {
  return id.slice(0, 13);
}

/** Lengths of the beginnings of an id that end with a group. */
const ID_LENGTHS = [13, 18, 23];

/** Returns a beginning of each id that no other one has. The children of one message have similar ids. */
export function distinctIds(ids: readonly string[]): Map<string, string> {
  const starts = (id: string) => ID_LENGTHS.map((length) => id.slice(0, length));
  const counts = new Map<string, number>();
  for (const start of ids.flatMap(starts)) counts.set(start, (counts.get(start) ?? 0) + 1);
  const startOf = (id: string) => starts(id).find((start) => counts.get(start) === 1) ?? id;
  return new Map(ids.map((id) => [id, startOf(id)]));
}
