import { handleOf, type PatchPart } from '@longhaul/protocol';
import { ownCopy } from '../own-copy.ts';
import { CHANGED_BY } from './changed-files.ts';
import { fileKey, withSlashes } from './file-paths.ts';
import type { LedgerFold } from './ledger-facts.ts';
import type { FileAction } from './tool-facts.ts';

/** The files that git itself keeps. */
const OF_GIT = /(?:^|\/)\.git\//;

export interface FileSighting {
  path: string;
  action: FileAction;
  handle: string;
  sequence: number;
  /** Where the file was before it was moved. */
  from?: string | undefined;
}

/**
 * Adds what a call did to a file. A folder that was listed or searched is not a file. Names that were found there are
 * assigned when their file is opened.
 */
export function addFile(facts: LedgerFold, { path, action, handle, sequence, from }: FileSighting): void {
  const key = fileKey(path);
  if (action === 'listed' || action === 'searched' || OF_GIT.test(key)) return;
  const known = facts.files.get(key);
  const actions = action === 'moved' ? new Set<FileAction>() : (known?.actions ?? new Set());
  if (action !== 'deleted') actions.delete('deleted');
  actions.delete('moved');
  // A file that was read before is not new, whatever the tool is called.
  const isNew = !actions.has('read') || known?.lastSequence === sequence;
  actions.add(action === 'created' && !isNew ? 'modified' : action);
  const changed = action === 'read' ? known?.changed : action === 'moved' ? undefined : { handle, sequence };
  if (action !== 'read') facts.lastChange = sequence;
  facts.files.delete(key);
  const moved = from === undefined ? known?.from : ownCopy(shownPath(from));
  const file = {
    key,
    path: shownPath(path),
    actions,
    handle,
    lastSequence: sequence,
    ...(moved !== undefined && { from: moved }),
  };
  facts.files.set(key, changed === undefined ? file : { ...file, changed });
}

/** Adds a file that a call only names. */
export function addNamedFile(
  facts: LedgerFold,
  path: string,
  seen: { handle: string; sequence: number },
): void {
  const key = ownCopy(fileKey(path));
  if (facts.files.has(key) || OF_GIT.test(key)) return;
  const { handle, sequence } = seen;
  facts.files.set(key, {
    key,
    path: ownCopy(shownPath(path)),
    actions: new Set(),
    handle,
    lastSequence: sequence,
  });
}

/** A patch of more files, such as of an installation, says little about each of them. */
const MAX_PATCHED_FILES = 50;

/** Adds the recorded changes of a step, however its tools made them: with an edit, a command or a generator. */
export function addPatch(facts: LedgerFold, { files, byAgent }: PatchPart, sequence: number): void {
  if (!byAgent) return;
  const named = [...facts.files.values()].filter(({ lastSequence }) => lastSequence === sequence);
  const add = (path: string, action: FileAction, from?: string) => {
    // A call of this step may have spelled the path in another way. Its handle says more than that of the step.
    const known = named.find(({ key }) => key === path || key.endsWith(`/${path}`));
    const place = known ?? { path: ownCopy(path), handle: handleOf(sequence) };
    addFile(facts, { path: place.path, handle: place.handle, action, sequence, from });
  };
  for (const { path, change, from } of files.slice(0, MAX_PATCHED_FILES)) {
    add(path, CHANGED_BY[change], from);
    if (from !== undefined) add(from, 'moved');
  }
}

function shownPath(path: string): string {
  return (
    withSlashes(path)
      .replace(/^\/workspace\/?/, '')
      .replace(/^(?:\.\/)+/, '') || '.'
  );
}
