import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';

/** What is going on: the first line with a sign that turns, the others indented as far as its text. */
export function busyLines(
  [first = 'working', ...others]: readonly string[],
  { sign, columns, paint }: { sign: string; columns: number; paint: Paint },
): string[] {
  const indented = others.map((line) => paint.dim(`  ${fitLine(line, columns - 2)}`));
  return ['', paint.dim(`${sign} ${first}`), ...indented];
}
