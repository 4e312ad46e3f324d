import { splitPath } from './file-paths.ts';
import type { FileAction } from './tool-facts.ts';

interface Changed {
  key: string;
  path: string;
  actions: ReadonlySet<FileAction>;
  handle: string;
}

const CHANGES = ['deleted', 'created', 'modified'] as const;

export function isChanged({ actions }: Pick<Changed, 'actions'>): boolean {
  return CHANGES.some((action) => actions.has(action));
}

/** Returns one line for each folder, newest first. */
export function changedFileLines(files: Iterable<Changed>): string[] {
  const folders = new Map<string, string[]>();
  for (const file of [...files].reverse()) {
    if (!isChanged(file)) continue;
    const { folder, name } = splitPath(file.path);
    const names = folders.get(folder) ?? [];
    names.push(`${name} (${outcomeOf(file)})`);
    folders.set(folder, names);
  }
  return [...folders].flatMap(([folder, names]) =>
    inGroups(names).map((group) => `- ${folder} ${group.join(', ')}`),
  );
}

/** What happened to the file in the end. Most were modified, so only the other cases are named. */
function outcomeOf({ actions, handle }: Changed): string {
  if (actions.has('deleted')) return `deleted; ${handle}`;
  return actions.has('created') ? `created; ${handle}` : handle;
}

/** A line of a section is shown as a whole or not at all, so it must not be too long. */
const MAX_NAMES_OF_LINE = 8;

function inGroups(names: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let start = 0; start < names.length; start += MAX_NAMES_OF_LINE)
    groups.push(names.slice(start, start + MAX_NAMES_OF_LINE));
  return groups;
}

/** Returns the keys of the files that such lines name. */
export function filesOfLines(lines: readonly string[], files: Iterable<Changed>): Set<string> {
  const byFolder = new Map<string, string>();
  for (const line of lines) {
    const folder = line.split(' ', 2)[1] ?? '';
    byFolder.set(folder, `${byFolder.get(folder) ?? ''}, ${line.slice(`- ${folder} `.length)}`);
  }
  const keys = new Set<string>();
  for (const file of files) {
    const { folder, name } = splitPath(file.path);
    if (isChanged(file) && byFolder.get(folder)?.includes(`, ${name} (`) === true) keys.add(file.key);
  }
  return keys;
}
