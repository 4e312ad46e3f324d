import { fileChange, fileLabel } from './file-label.ts';
import { splitPath } from './file-paths.ts';
import type { FileFact } from './ledger-facts.ts';
import { wrap } from './wrap.ts';

/** What happened to as many files of a folder in one call is written once, before their names. */
const MIN_GROUP = 3;
/** Of so many deleted files, few are named. */
const MAX_DELETED = 6;

/** Returns the lines of a folder's changed files of which no name is shown. */
export function linesOfUnnamed(files: readonly FileFact[]): string[] {
  const groups = new Map<string, FileFact[]>();
  for (const file of files) {
    const change = fileChange(file);
    groups.set(change, [...(groups.get(change) ?? []), file]);
  }
  const single = files.filter((file) => (groups.get(fileChange(file))?.length ?? 0) < MIN_GROUP);
  const large = [...groups].filter(([, group]) => group.length >= MIN_GROUP);
  return [
    ...wrap(single.map(fileLabel), ', '),
    ...large.flatMap(([change, group]) => wrap(namesOf(change, group), ', ')),
  ];
}

function namesOf(change: string, files: readonly FileFact[]): string[] {
  const names = files.map(({ path }) => splitPath(path).name);
  const isLong = change.startsWith('deleted') && names.length > MAX_DELETED + 1;
  const shown = isLong ? [...names.slice(0, MAX_DELETED), `and ${names.length - MAX_DELETED} more`] : names;
  const what = change.includes(';') ? change.replace('; ', ' in ') : `changed in ${change}`;
  return shown.map((name, index) => (index === 0 ? `${what}: ${name}` : name));
}
