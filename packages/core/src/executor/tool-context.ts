import type { ToolPart } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { BackgroundCommands, BlobStore, Contacts, ContextControl, Sandbox } from '../ports/index.ts';
import type { SessionHistory, ToolContext } from '../ports/tool.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RunClock } from './limits/run-clock.ts';
import type { ModelForTools } from './model-for-tools.ts';
import type { StoredProgress } from './stored-progress.ts';
import type { RunSubtasks } from './subtasks/run-subtasks.ts';

export interface ToolContextOptions {
  writer: SessionWriter;
  sandbox: Sandbox;
  blobs: BlobStore;
  history: SessionHistory;
  todoList: () => Promise<string | undefined>;
  approver: Approver;
  clock: RunClock;
  /** Absent: tools have no part in decisions about the context. */
  context?: ContextControl | undefined;
  /** Absent: no command can run in the background. */
  background?: BackgroundCommands | undefined;
  /** Absent: the session can have no children. */
  subtasks?: RunSubtasks | undefined;
  /** Absent: the session may write to no other session. */
  contacts?: Contacts | undefined;
  /** Absent: tools cannot use the model. */
  model?: ModelForTools | undefined;
}

/** A call that begins to run. */
export interface StartedCall {
  part: ToolPart;
  handle: string;
  /** Where it is in the log. */
  messageId: string;
  partIndex: number;
  stored: StoredProgress;
  signal: AbortSignal;
}

/** Creates what a tool can use during a call. Each question that it asks is an approval with a handle of its own. */
export function createToolContext(
  options: ToolContextOptions,
  { part: { callId }, handle, messageId, partIndex, stored, signal }: StartedCall,
): ToolContext {
  const { writer, sandbox, blobs, history, todoList, approver, clock, context } = options;
  const { background, subtasks, contacts, model } = options;
  let asked = 0;
  const nextRequest = (kind: 'q' | 's') => {
    asked += 1;
    return { callId: `${callId}:${kind}${asked}`, handle: `${handle}${kind}${asked}` };
  };
  return {
    sessionId: writer.lease.sessionId,
    callId,
    handle,
    sandbox,
    blobs,
    history,
    todoList,
    signal,
    context,
    background,
    subtasks: subtasks?.at({ messageId, partIndex, callId, handle }),
    contacts,
    ask: async (question) => {
      const stopClock = () => clock.stop();
      const answer = await approver.ask?.({ ...nextRequest('q'), question, signal, stopClock });
      return answer ?? { isAnswered: false, reason: 'nobody can answer' };
    },
    ...(model && {
      askModel: (question, ends) =>
        model.ask(question, { ...nextRequest('s'), signal: AbortSignal.any([signal, ends]) }),
    }),
    progress: (update) => {
      writer.emitTransient({ type: 'llm:tool-progress', callId, ...update });
      stored.report(update);
    },
  };
}
