import type { BlobStore, ExecutorResult, ModelDriver, Store } from '@longhaul/core';
import { ALLOW_ALL, type CompressionSettings, createNoSandbox, NO_LIMITS, Runtime } from '@longhaul/core';
import type { LonghaulError } from '@longhaul/protocol';
import type { PlayedUser, RecordedPlay } from '@longhaul/replay';
import { queuedId } from './check-stored.ts';
import { recordedTools } from './recorded-tools.ts';

export interface PlaySessionOptions {
  play: RecordedPlay;
  storage: { store: Store; blobs: BlobStore };
  driver: ModelDriver;
  compression: CompressionSettings;
  /** Whether the model is asked for narratives. */
  wantsNarratives: boolean;
  title: string;
  workspace: string;
  signal: AbortSignal;
}

export interface PlayedSession {
  sessionId: string;
  /** Model calls that ended well. */
  steps: number;
  compactions: number;
  prunedOutputs: number;
  inputTokens: number;
  /** Why it did not reach its end. */
  error?: LonghaulError;
}

/**
 * Plays a recorded session through the runtime: a run for each turn, its user messages queued before it, and what was
 * said while the agent worked queued while its tools run.
 */
export async function playSession(options: PlaySessionOptions): Promise<PlayedSession> {
  const { play, storage, driver, signal } = options;
  const usersDuring = new Map(
    play.steps.flatMap((step) => step.calls.map((call) => [call.callId, step.usersAfter] as const)),
  );
  const runtime = new Runtime({
    approverFor: () => ALLOW_ALL,
    ...storage,
    tools: recordedTools(play, (callId) => sendAll(usersDuring.get(callId) ?? [])),
    openSandbox: async () =>
      createNoSandbox({
        workspacePath: options.workspace,
        description: 'none, results are replayed from a recording',
        refusal: 'Nothing runs in a replay: the results are the recorded ones.',
      }),
    driverFor: async () => driver,
    summariserFor: async () => (options.wantsNarratives ? driver : undefined),
    compression: options.compression,
    instructionFiles: [],
    // What is repeated was repeated in the recording.
    limits: { ...NO_LIMITS, repeatedCalls: null },
    askOpenItems: false,
    budgetNotes: false,
  });
  const session = await runtime.createSession({
    workspace: options.workspace,
    model: `${driver.info.provider}/${driver.info.model}`,
    task: taskOf(play),
    title: options.title,
  });
  const played: PlayedSession = {
    sessionId: session.id,
    steps: 0,
    compactions: 0,
    prunedOutputs: 0,
    inputTokens: 0,
  };
  runtime.subscribe((event) => {
    if (event.type === 'context:pruned' && event.sessionId === session.id)
      played.prunedOutputs += event.prunedCount;
  });

  /** Repeating an id queues nothing. */
  async function sendAll(users: readonly PlayedUser[]): Promise<void> {
    for (const { id, content, isInjected } of users) {
      const metadata = isInjected ? { metadata: { synthetic: 'injected' } } : {};
      await runtime.queue.enqueue(session.id, content, { id: queuedId(session.id, id), ...metadata });
    }
  }

  for (const turn of play.turns) {
    await sendAll(turn.users);
    const result = await runtime.run(session.id, { signal });
    add(played, result);
    if (result.status !== 'completed') return { ...played, ...(result.error && { error: result.error }) };
  }
  return played;
}

function add(played: PlayedSession, { stepCount, compactions, usage }: ExecutorResult): void {
  played.steps += stepCount;
  played.compactions += compactions;
  played.inputTokens += usage.inputTokens;
}

function taskOf({ users }: RecordedPlay): string {
  const first = users.find((user) => !user.isInjected) ?? users[0];
  return first?.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') ?? '';
}
