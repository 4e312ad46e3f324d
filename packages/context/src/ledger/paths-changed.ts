import type { LedgerFold } from './ledger-fold.ts';
import type { FileAction } from './tool-facts.ts';

const CHANGES: readonly FileAction[] = ['created', 'modified', 'deleted'];

/** Returns the paths of the files that the session has changed, the last changed first. */
export function pathsChanged({ files }: Pick<LedgerFold, 'files'>): string[] {
  return [...files.values()]
    .filter(({ actions }) => CHANGES.some((action) => actions.has(action)))
    .sort((one, other) => other.lastSequence - one.lastSequence)
    .map(({ path }) => path);
}
