import type { FileFact } from './ledger-facts.ts';
import type { FileAction } from './tool-facts.ts';

const CHANGES: readonly FileAction[] = ['created', 'modified', 'deleted'];

export function isChanged({ actions }: Pick<FileFact, 'actions'>): boolean {
  return CHANGES.some((action) => actions.has(action));
}

/** Whether a file is no copy that the work made on its way, and still exists. */
export function isResult({ path, actions }: Pick<FileFact, 'path' | 'actions'>): boolean {
  return !actions.has('deleted') && !SCRATCH.test(path);
}

const SCRATCH = /~$|\.(?:bak|orig|rej|sw[op]|tmp|log)$|[._-](?:backup|orig|copy)(?:$|\.)/i;

/** For an order with the last changed file first. */
export function byChange(left: FileFact, right: FileFact): number {
  return changeOf(right) - changeOf(left);
}

function changeOf({ changed, lastSequence }: FileFact): number {
  return changed?.sequence ?? lastSequence;
}
