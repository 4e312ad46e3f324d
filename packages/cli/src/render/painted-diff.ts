import type { Paint } from './paint.ts';

/** Colours the whole lines of a unified diff, or of a piece of one that ends with a line. */
export function paintedDiff(piece: string, paint: Paint): string {
  return piece
    .split('\n')
    .map((line) => {
      if (/^(?:diff |index |--- |\+\+\+ |new |deleted |rename |similarity |old )/.test(line))
        return paint.bold(line);
      if (line.startsWith('@@')) return paint.note(line);
      if (line.startsWith('+')) return paint.good(line);
      return line.startsWith('-') ? paint.bad(line) : line;
    })
    .join('\n');
}
