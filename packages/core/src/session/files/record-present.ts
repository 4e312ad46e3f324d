import { LonghaulError, type Message, type Session } from '@longhaul/protocol';
import type { FileRecorder } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import type { SessionWriter } from '../session-writer.ts';
import { appendPatch } from './append-patch.ts';
import { type FilesState, saveFilesState } from './files-state.ts';

export interface RecordPresentOptions {
  store: Store;
  writer: SessionWriter;
  session: Session;
  recorder: FileRecorder;
  /** How far the session's files are recorded. Undefined: none was. */
  state: FilesState | undefined;
  /** Returns a test for names of tools that can change files. */
  mayWrite: (session: Session) => (toolName: string) => boolean;
}

/** Records the present files of a session before a revert, so that it can be taken back. Returns their tree. */
export async function recordPresent(options: RecordPresentOptions): Promise<string> {
  const { store, writer, session, recorder, state } = options;
  const change = await recorder.record();
  if (change === undefined) {
    if (state !== undefined) return state.tree;
    throw new LonghaulError('internal', 'The recorder has no tree of a session without records.');
  }
  const { messages } = await store.readMessages(session.id, { limit: 1 });
  const last = messages.at(-1);
  const through = last?.sequence ?? 0;
  const step = state && (await findUnrecordedStep(options, state.through));
  await Promise.all([
    step !== undefined
      ? appendPatch(writer, step, { ...change, byAgent: true })
      : last && appendPatch(writer, last, { ...change, byAgent: false, atRevert: true }),
    saveFilesState(store, session.id, { tree: change.after, through }),
  ]);
  return change.after;
}

/** Returns the last step after a message whose tools may have changed files. Such changes are the agent's. */
async function findUnrecordedStep(
  { store, session, ...options }: RecordPresentOptions,
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
