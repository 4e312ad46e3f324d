import type { FileChange } from '@longhaul/protocol';
import type { Paint } from './paint.ts';

const SIGNS: Readonly<Record<FileChange['change'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
};

/** Returns one line per changed file, and a line with the totals. */
export function fileChangeLines(
  { files, more = 0 }: { files: readonly FileChange[]; more?: number | undefined },
  paint: Paint,
): string {
  if (files.length + more === 0) return 'No file changed.\n';
  const lines = files.map(
    (file) => `${paint.note(SIGNS[file.change])} ${nameOf(file)}${countsOf(file, paint)}`,
  );
  if (more > 0) lines.push(`… and ${more} more`);
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  const total = files.length + more;
  lines.push(
    `${total} ${total === 1 ? 'file' : 'files'}, ${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`,
  );
  return `${lines.join('\n')}\n`;
}

function nameOf({ path, from }: FileChange): string {
  return from === undefined ? path : `${from} → ${path}`;
}

function countsOf({ added, removed, restorable }: FileChange, paint: Paint): string {
  if (!restorable) return paint.dim('  secret or too large: content not recorded');
  if (added === undefined || removed === undefined) return paint.dim('  binary');
  return `  ${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`;
}
