import { endBefore } from '@longhaul/context';

/** How tools write names, sizes and cut lines in their answers: as few tokens as an unmistakable form allows. */

/**
 * A path on one line. One with a line break or another control character, or that begins with a quote, is written as a JSON string,
 * so that the model can hand it back as it stands.
 */
export function displayPath(path: string): string {
  if (path === '') return '.';
  return /^"|\p{Cc}|\p{Zl}|\p{Zp}/u.test(path) ? JSON.stringify(path) : path;
}

/** `532`, `1.2k`, `34M`: bytes in units of 1024. */
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

/** `1,234,567`, whatever the machine's locale. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function plural(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}

/** The first `maxChars` of a line, with a remark when more was there. Never half of a surrogate pair. */
export function cutLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  return `${line.slice(0, endBefore(line, maxChars))} [… ${groupDigits(line.length)} chars]`;
}
