import type { FileChange } from '@longhaul/protocol';
import type { Paint } from './paint.ts';

const SIGNS: Readonly<Record<FileChange['change'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
};

export interface FileChangeOptions {
  paint: Paint;
  /** Maximum number of files that are listed. The totals count all. Default: all. */
  limit?: number;
}

/** Returns one line per changed file, and a line with the totals. */
export function fileChangeLines(
  { files, more = 0 }: { files: readonly FileChange[]; more?: number | undefined },
  { paint, limit = Number.POSITIVE_INFINITY }: FileChangeOptions,
): string {
  if (files.length + more === 0) return 'No file changed.\n';
  const shown = files.slice(0, limit);
  const lines = shown.map(
    (file) => `${paint.note(SIGNS[file.change])} ${nameOf(file)}${countsOf(file, paint)}`,
  );
  const rest = more + files.length - shown.length;
  if (rest > 0) lines.push(`… and ${rest} more`);
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  const total = files.length + more;
  const counts = `${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`;
  lines.push(`${total} ${total === 1 ? 'file' : 'files'}, ${more > 0 ? 'at least ' : ''}${counts}`);
  return `${lines.join('\n')}\n`;
}

/** Returns a path on one line: quoted if it has line breaks, control characters, quotes or backslashes. */
export function shownName(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}

function nameOf({ path, from }: FileChange): string {
  return from === undefined ? shownName(path) : `${shownName(from)} → ${shownName(path)}`;
}

function countsOf({ added, removed, restorable }: FileChange, paint: Paint): string {
  if (!restorable) return paint.dim('  secret or too large: content not recorded');
  if (added === undefined || removed === undefined) return paint.dim('  binary');
  return `  ${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`;
}
