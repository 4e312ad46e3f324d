import type { FileFact } from './ledger-facts.ts';

const NAMED_FILES = 3;

/** Returns how many files changed, and the newest ones by name. Files of one name are shown with their folder. */
export function filesText(files: readonly FileFact[], verb = 'changed'): string {
  const paths = files.slice(0, NAMED_FILES).map(({ path }) => path.split('/'));
  const isOther = (name = '', index: number) =>
    paths.some((parts, at) => at !== index && parts.at(-1) === name);
  const names = paths.map((parts, index) => parts.slice(isOther(parts.at(-1), index) ? -2 : -1).join('/'));
  return files.length <= NAMED_FILES
    ? `${names.join(', ')} ${verb}`
    : `${files.length} files ${verb} (newest: ${names.join(', ')})`;
}
