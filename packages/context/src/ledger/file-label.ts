import { splitPath } from './file-paths.ts';
import { isChanged } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';

/** Returns the name of a file, for a changed one with what happened to it in the end. */
export function fileLabel(file: FileFact): string {
  const { name } = splitPath(file.path);
  return isChanged(file) ? `${name} (${fileChange(file)})` : name;
}

/** Most files were modified, which is not named. */
export function fileChange({ actions, changed, handle }: FileFact): string {
  const where = changed?.handle ?? handle;
  if (actions.has('deleted')) return `deleted; ${where}`;
  return actions.has('created') ? `created; ${where}` : where;
}
