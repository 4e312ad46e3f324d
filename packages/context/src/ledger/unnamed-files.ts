import { fileChange, fileLabel } from './file-label.ts';
import { splitPath } from './file-paths.ts';
import { isHelper } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';
import { wrap } from './wrap.ts';

/** What happened to as many files of a folder in one call is written once, before their names. */
const MIN_GROUP = 3;
/** Of more deleted files or helpers, not all are named. */
const MAX_NAMED = 6;

/** Returns the lines of a folder's changed files of which no name is shown. */
export function linesOfUnnamed(files: readonly FileFact[]): string[] {
  const groups = new Map<string, FileFact[]>();
  for (const file of files) groups.set(groupOf(file), [...(groups.get(groupOf(file)) ?? []), file]);
  const isLarge = (file: FileFact) => isHelper(file) || (groups.get(groupOf(file))?.length ?? 0) >= MIN_GROUP;
  const single = files.filter((file) => !isLarge(file));
  const large = [...groups].filter(([, [first]]) => first !== undefined && isLarge(first));
  return [
    ...wrap(single.map(fileLabel), ', '),
    ...large.flatMap(([group, members]) => wrap(namesOf(group, members), ', ')),
  ];
}

const HELPERS = 'helper files';

function groupOf(file: FileFact): string {
  return isHelper(file) && !file.actions.has('deleted') ? HELPERS : fileChange(file);
}

function namesOf(group: string, files: readonly FileFact[]): string[] {
  const names = files.map(({ path }) => splitPath(path).name);
  const isLong = (group === HELPERS || group.startsWith('deleted')) && names.length > MAX_NAMED + 1;
  const shown = isLong ? [...names.slice(0, MAX_NAMED), `and ${names.length - MAX_NAMED} more`] : names;
  return shown.map((name, index) => (index === 0 ? `${group.replace('; ', ' in ')}: ${name}` : name));
}
