import type { PlacedPatch } from '@longhaul/context/engine';
import { LonghaulError, type Message, type Session } from '@longhaul/protocol';
import type { FileRecorder } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import type { SessionWriter } from '../session-writer.ts';
import { appendPatch, patchPart, type RecordedPatch } from './append-patch.ts';
import { type FilesState, saveFilesState } from './files-state.ts';

export interface ReadPresentOptions {
  store: Store;
  session: Session;
  recorder: FileRecorder;
  /** How far the session's files are recorded. Undefined: none was. */
  state: FilesState | undefined;
  /** Returns a test for names of tools that can change files. */
  mayWrite: (session: Session) => (toolName: string) => boolean;
}

/** The files of a session as they are now. */
export interface PresentFiles {
  tree: string;
  /** What has changed since the last record, and the message to which this belongs. Undefined: nothing. */
  change?: { message: Message | undefined; recorded: RecordedPatch };
}

/** Reads the present files of a session, and stores nothing in the session. */
export async function readPresent(options: ReadPresentOptions): Promise<PresentFiles> {
  const { store, session, recorder, state } = options;
  const change = await recorder.record();
  if (change === undefined) {
    if (state !== undefined) return { tree: state.tree };
    throw new LonghaulError('internal', 'The recorder has no tree of a session without records.');
  }
  const step = state && (await findUnrecordedStep(options, state.through));
  if (step !== undefined)
    return { tree: change.after, change: { message: step, recorded: { ...change, byAgent: true } } };
  const { messages } = await store.readMessages(session.id, { limit: 1 });
  const recorded = { ...change, byAgent: false, atRevert: true } as const;
  return { tree: change.after, change: { message: messages.at(-1), recorded } };
}

/** Records the present files of a session before a revert, so that it can be taken back. Returns their tree. */
export async function recordPresent(
  options: ReadPresentOptions & { writer: SessionWriter },
): Promise<string> {
  const { store, writer, session } = options;
  const { tree, change } = await readPresent(options);
  if (change === undefined) return tree;
  const { message, recorded } = change;
  const { messages } = await store.readMessages(session.id, { limit: 1 });
  const through = messages.at(-1)?.sequence ?? 0;
  await Promise.all([
    message && appendPatch(writer, message, recorded),
    saveFilesState(store, session.id, { tree, through }),
  ]);
  return tree;
}

/** Returns a change as if it were recorded. */
export function placedPatch(change: PresentFiles['change']): PlacedPatch | undefined {
  if (change?.message === undefined) return undefined;
  const { message, recorded } = change;
  return { sequence: message.sequence, index: message.parts.length, part: patchPart(recorded) };
}

/** Returns the last step after a message whose tools may have changed files. Such changes are the agent's. */
async function findUnrecordedStep(
  { store, session, ...options }: ReadPresentOptions,
  through: number,
): Promise<Message | undefined> {
  const mayWrite = options.mayWrite(session);
  let found: Message | undefined;
  for (let after = through; ; ) {
    const { messages } = await store.readMessages(session.id, { after, limit: 200 });
    found =
      messages.findLast(({ parts }) => parts.some((part) => part.type === 'tool' && mayWrite(part.name))) ??
      found;
    const last = messages.at(-1);
    if (last === undefined) return found;
    after = last.sequence;
  }
}
