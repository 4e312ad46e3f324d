import { splitPath } from './file-paths.ts';
import { isChanged } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';

/** Returns the name of a file, for a changed one with what happened to it in the end. */
export function fileLabel(file: FileFact): string {
  const { name } = splitPath(file.path);
  if (file.actions.has('moved')) return `${name} (moved in ${file.handle})`;
  return isChanged(file) ? `${name} (${fileChange(file)})` : name;
}

/** Most files were modified, which is not named. */
export function fileChange({ path, actions, changed, handle, from }: FileFact): string {
  const where = changed?.handle ?? handle;
  if (actions.has('deleted')) return `deleted; ${where}`;
  if (from !== undefined) return `from ${movedFrom(from, path)}; ${where}`;
  return actions.has('created') ? `created; ${where}` : where;
}

/** The folder that a file left, or its other name in the same folder. */
function movedFrom(from: string, path: string): string {
  const [before, after] = [splitPath(from), splitPath(path)];
  if (before.folder === after.folder) return before.name;
  return before.name === after.name ? before.folder : from;
}
