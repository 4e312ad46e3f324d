import { splitPath } from './file-paths.ts';
import type { FileFact } from './ledger-facts.ts';

const NAMED_FILES = 3;

/** Returns how many files changed, and the newest ones by name. */
export function filesText(files: readonly FileFact[]): string {
  const names = files.slice(0, NAMED_FILES).map(({ path }) => splitPath(path).name);
  return files.length <= NAMED_FILES
    ? `${names.join(', ')} changed`
    : `${files.length} files changed (newest: ${names.join(', ')})`;
}
