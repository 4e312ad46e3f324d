import { type ExecutorResult, newId } from '@longhaul/core';
import { LonghaulError, type LonghaulEvent, type UserMessageContentPart } from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';
import { type AnswerPiece, AnswerText } from './answer-text.ts';
import { type CompletionEnd, toChatFinish } from './completion-wire.ts';

type Context = Pick<
  HandlerContext,
  'runtime' | 'runs' | 'feeds' | 'dispatcher' | 'mask' | 'openai' | 'failed'
>;

export interface AgentTurn {
  sessionId: string;
  content: readonly UserMessageContentPart[];
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The answer is sent while it is written. */
  isStreamed: boolean;
  write: (piece: AnswerPiece) => void;
}

const NOBODY_TO_ASK =
  'Nobody can be asked over this API, so calls that need approval are refused. Continue without them, or say what you need.';

/**
 * Sends a message to a session, and writes the answer as it arrives.
 *
 * @throws {LonghaulError} The reason why the answer is incomplete. The text so far stays in the session.
 */
export async function takeTurn(
  context: Context,
  { sessionId, content, signal, isStreamed, write }: AgentTurn,
): Promise<CompletionEnd> {
  const { runs, mask, openai, failed, runtime } = context;
  const id = newId();
  const answer = new AnswerText(id);
  let hasText = false;
  const emit = (piece: AnswerPiece) => {
    hasText ||= piece.kind === 'content';
    write({ ...piece, text: mask(piece.text) });
  };
  const listener = (event: LonghaulEvent) => {
    if (event.sessionId !== sessionId) return;
    for (const piece of answer.push(event)) emit(piece);
    if (openai.ask === 'deny') refuse(event);
  };
  using _listening = await listen(context, { sessionId, listener });
  const refuse = (event: LonghaulEvent) => {
    if (event.type !== 'approval:requested' || !answer.isStarted) return;
    runtime.approvals
      .refuse(event, NOBODY_TO_ASK)
      .catch((error: unknown) => failed('refusing an approval request', error));
  };
  const onLeft = () =>
    void stop(context, { sessionId, id }).catch((error: unknown) =>
      failed('cancelling the turn of a disconnected client', error),
    );
  const isCancelled = openai.onDisconnect === 'cancel' || (openai.onDisconnect === 'auto' && isStreamed);
  if (isCancelled) signal.addEventListener('abort', onLeft, { once: true });
  try {
    if (signal.aborted) throw new LonghaulError('cancelled', 'The client disconnected.');
    using _place = await runs.place(sessionId, isCancelled ? signal : undefined);
    const result = await runtime.sendAndWait(sessionId, content, { id });
    const last = lastWords(result);
    // If another process drove the session, its text is only known now.
    if (!hasText && result.text !== '') emit({ kind: 'content', text: result.text });
    if (last !== undefined) emit({ kind: 'content', text: `${hasText ? '\n\n' : ''}${last}` });
    const finishReason = result.status === 'limit' ? 'length' : toChatFinish(result.finishReason);
    return { finishReason, usage: result.usage };
  } finally {
    signal.removeEventListener('abort', onLeft);
  }
}

/** Returns a note for the end of the answer, if the run reached a limit. Throws if the run failed or was cancelled. */
function lastWords({ status, error }: ExecutorResult): string | undefined {
  if (status === 'completed') return undefined;
  if (status === 'limit') return `[${error?.message ?? 'The run reached a limit.'}]`;
  throw error ?? new LonghaulError('internal', `The run ended with status ${status}.`);
}

async function stop(
  { runtime }: Context,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<void> {
  if (await runtime.queue.remove(sessionId, id)) return;
  await runtime.cancel(sessionId);
}

/** Listens to the session, also if another server drives it. */
async function listen(
  { runtime, feeds, dispatcher }: Context,
  { sessionId, listener }: { sessionId: string; listener: (event: LonghaulEvent) => void },
): Promise<Disposable> {
  if (dispatcher !== undefined) return await feeds.listen(sessionId, listener);
  const end = runtime.subscribe(listener);
  return { [Symbol.dispose]: end };
}
