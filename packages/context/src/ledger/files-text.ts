import type { FileFact } from './ledger-facts.ts';

const NAMED_FILES = 3;

/** Returns the names of files, or only their number. Files of one name are shown with their folder. */
export function filesText(files: readonly FileFact[]): string {
  return files.length <= NAMED_FILES ? namesOf(files) : `${files.length} files`;
}

/** Returns how many files changed, and the first ones by name. */
export function namedFilesText(files: readonly FileFact[], verb: string): string {
  const names = files.length <= NAMED_FILES ? '' : ` (newest: ${namesOf(files)})`;
  return `${filesText(files)} ${verb}${names}`;
}

function namesOf(files: readonly FileFact[]): string {
  const paths = files.slice(0, NAMED_FILES).map(({ path }) => path.split('/'));
  const isOther = (name = '', index: number) =>
    paths.some((parts, at) => at !== index && parts.at(-1) === name);
  return paths
    .map((parts, index) => parts.slice(isOther(parts.at(-1), index) ? -2 : -1).join('/'))
    .join(', ');
}

/** Returns the files that changed after a message. */
export function filesSince(files: readonly FileFact[], sequence: number): FileFact[] {
  return files.filter(({ changed }) => (changed?.sequence ?? 0) > sequence);
}
