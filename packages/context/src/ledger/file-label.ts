import { splitPath } from './file-paths.ts';
import { isChanged } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';

/** Returns the name of a file, with what happened to it in the end. */
export function fileLabel(file: FileFact): string {
  const { name } = splitPath(file.path);
  if (isChanged(file)) return `${name} (${fileChange(file)})`;
  return file.actions.has('read') ? `${name} (read; ${file.handle})` : name;
}

/** Most files were modified, which is not named. */
export function fileChange({ actions, changed, handle }: FileFact): string {
  const where = changed?.handle ?? handle;
  if (actions.has('deleted')) return `deleted; ${where}`;
  return actions.has('created') ? `created; ${where}` : where;
}
