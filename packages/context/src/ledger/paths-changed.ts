import { byChange, isChanged } from './is-changed.ts';
import type { LedgerFold } from './ledger-facts.ts';

/** Returns the paths of the files that the session has changed, the last changed first. */
export function pathsChanged({ files }: Pick<LedgerFold, 'files'>): string[] {
  return [...files.values()]
    .filter(isChanged)
    .sort(byChange)
    .map(({ path }) => path);
}
