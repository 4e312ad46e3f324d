import type { FileFact } from './ledger-facts.ts';
import type { FileAction } from './tool-facts.ts';

const CHANGES: readonly FileAction[] = ['created', 'modified', 'deleted'];

export function isChanged({ actions }: Pick<FileFact, 'actions'>): boolean {
  return CHANGES.some((action) => actions.has(action));
}

/** For an order with the last changed file first. */
export function byChange(left: FileFact, right: FileFact): number {
  return changeOf(right) - changeOf(left);
}

function changeOf({ changed, lastSequence }: FileFact): number {
  return changed?.sequence ?? lastSequence;
}
