import type { FileFact } from './ledger-facts.ts';
import type { FileAction } from './tool-facts.ts';

export const CHANGES: readonly FileAction[] = ['created', 'modified', 'deleted'];

export function isChanged({ actions }: Pick<FileFact, 'actions'>): boolean {
  return CHANGES.some((action) => actions.has(action));
}

/** Whether a file still exists, and is part of what the work is for. */
export function isResult(file: FileFact): boolean {
  return !file.actions.has('deleted') && !isHelper(file);
}

/** Whether the work made a file only on its way: a copy, a patch, or a script that it ran; see `withHelpers`. */
export function isHelper({ path, actions, isHelper: isScript }: FileFact): boolean {
  return isScript === true || COPY.test(path) || (actions.has('created') && PATCH.test(path));
}

const COPY =
  /~$|\.(?:bak\d*|orig|old|save|final|rej|sw[op]|tmp|log)$|[._-](?:backup|orig|copy)(?:$|\.)|\/\.claude\/plans\//i;
const PATCH = /\.(?:patch|diff)$/;

/** For an order with the last changed file first. */
export function byChange(left: FileFact, right: FileFact): number {
  return changeOf(right) - changeOf(left);
}

function changeOf({ changed, lastSequence }: FileFact): number {
  return changed?.sequence ?? lastSequence;
}
