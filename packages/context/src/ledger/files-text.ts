import type { FileFact } from './ledger-facts.ts';

const NAMED_FILES = 3;

/**
 * Returns how many files changed, and the first ones by name. Files of one name are shown with their folder.
 *
 * @param verb What happened to them. Without it, the files are only named.
 */
export function filesText(files: readonly FileFact[], verb = ' changed'): string {
  const paths = files.slice(0, NAMED_FILES).map(({ path }) => path.split('/'));
  const isOther = (name = '', index: number) =>
    paths.some((parts, at) => at !== index && parts.at(-1) === name);
  const names = paths
    .map((parts, index) => parts.slice(isOther(parts.at(-1), index) ? -2 : -1).join('/'))
    .join(', ');
  return files.length <= NAMED_FILES ? `${names}${verb}` : `${files.length} files${verb} (newest: ${names})`;
}

/** Returns the files that changed after a message. */
export function filesSince(files: readonly FileFact[], sequence: number): FileFact[] {
  return files.filter(({ changed }) => (changed?.sequence ?? 0) > sequence);
}
