import { createLedgerFold, foldMessage, type LedgerFold } from '@longhaul/context/engine';
import type { Store, SubtaskOutcome } from '../../ports/index.ts';

const PAGE = 200;
const CHANGES: ReadonlySet<string> = new Set(['created', 'modified', 'deleted']);

/** Reads from a child's log which files it has changed, and which of its commands have failed when they last ran. */
export async function childFacts(
  store: Pick<Store, 'readMessages'>,
  childId: string,
): Promise<Pick<SubtaskOutcome, 'files' | 'failedCommands'>> {
  const fold = createLedgerFold();
  for (let after = 0; ; ) {
    const { messages } = await store.readMessages(childId, { after, limit: PAGE, skipReverted: true });
    for (const message of messages) foldMessage(fold, message);
    const last = messages.at(-1);
    if (last === undefined) return { files: changedFiles(fold), failedCommands: failedCommands(fold) };
    after = last.sequence;
  }
}

function changedFiles({ files }: LedgerFold): string[] {
  return [...files.values()].flatMap(({ path, actions }) => {
    const changes = [...actions].filter((action) => CHANGES.has(action));
    // A file that is created and modified later is a new file.
    const change = changes.includes('deleted') ? 'deleted' : changes[0];
    return change === undefined ? [] : [`${change} ${path}`];
  });
}

function failedCommands({ commands }: LedgerFold): string[] {
  return [...commands.values()].flatMap(({ command, exitCode, ended }) => {
    if (exitCode === 0) return [];
    const outcome = exitCode === undefined ? ended : `exit code ${exitCode}`;
    return outcome === undefined ? [] : [`${command}: ${outcome}`];
  });
}
