import { endBefore } from '@longhaul/context/engine';

/** Formats paths, sizes and lines in tool outputs: unambiguous, and with few tokens. */

/**
 * Returns a path on one line. A path with a line break or another control character, or with a leading quote, is
 * written as a JSON string, so that the model can pass it back unchanged.
 */
export function displayPath(path: string): string {
  if (path === '') return '.';
  return /^"|\p{Cc}|\p{Zl}|\p{Zp}/u.test(path) ? JSON.stringify(path) : path;
}

/** Formats bytes in units of 1024: `532`, `1.2k`, `34M`. */
export function compactSize(bytes: number): string {
  let value = bytes;
  for (const unit of ['', 'k', 'M', 'G']) {
    if (value < 1000 || unit === 'G') {
      return unit === '' || value >= 10 ? `${Math.round(value)}${unit}` : `${value.toFixed(1)}${unit}`;
    }
    value /= 1024;
  }
  return String(bytes);
}

/** Formats bytes with their unit: `1 byte`, `532 bytes`, `1.2k bytes`. */
export function byteSize(bytes: number): string {
  return bytes < 1000 ? plural(bytes, 'byte') : `${compactSize(bytes)} bytes`;
}

/** Formats a size beside its limit. If both would look equal, they are written with all digits. */
export function sizeAndLimit(bytes: number, limitBytes: number): { size: string; limit: string } {
  const [size, limit] = [byteSize(bytes), byteSize(limitBytes)];
  if (size !== limit || bytes === limitBytes) return { size, limit };
  return { size: plural(bytes, 'byte'), limit: plural(limitBytes, 'byte') };
}

/** Formats a number as `1,234,567`, regardless of the locale. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Returns a count with its noun, such as `1 file` or `1,200 files`. */
export function plural(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? '' : /(?:ch|ss)$/.test(noun) ? 'es' : 's'}`;
}

/** Returns the first `maxChars` of a line, with a note if the line is longer. Does not split a surrogate pair. */
export function cutLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  return `${line.slice(0, endBefore(line, maxChars))} [… ${groupDigits(line.length)} chars]`;
}
