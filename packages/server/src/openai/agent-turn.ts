import { type ExecutorResult, newId } from '@longhaul/core';
import {
  LonghaulError,
  type LonghaulEvent,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { HandlerContext } from '../handlers/handler-context.ts';
import { type AnswerPiece, AnswerText } from './answer-text.ts';
import { type CompletionEnd, toChatFinish } from './completion-wire.ts';

type Context = Pick<HandlerContext, 'runtime' | 'mask' | 'openai'>;

export interface AgentTurn {
  sessionId: string;
  content: readonly UserMessageContentPart[];
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  write: (piece: AnswerPiece) => void;
}

const NOBODY =
  'Nobody can be asked over this API, so what needs approval is refused. Do without it, or say what you would need.';

/**
 * Sends a message to a session and tells what comes of it.
 *
 * @throws {LonghaulError} why there is no whole answer; what was told until then stays in the session.
 */
export async function takeTurn(
  context: Context,
  { sessionId, content, signal, write }: AgentTurn,
): Promise<CompletionEnd> {
  const { runtime, mask, openai } = context;
  const id = newId();
  const answer = new AnswerText(id);
  let hasText = false;
  const tell = (piece: AnswerPiece) => {
    hasText ||= piece.kind === 'content';
    write({ ...piece, text: mask(piece.text) });
  };
  const end = runtime.subscribe((event) => {
    if (event.sessionId !== sessionId) return;
    for (const piece of answer.push(event)) tell(piece);
    if (openai.ask === 'deny') refuse(event);
  });
  const refuse = (event: LonghaulEvent) => {
    if (event.type !== 'approval:requested' || !answer.isStarted) return;
    runtime.approvals.refuse(event, NOBODY).catch(warn);
  };
  const onLeft = () => void stop(context, { sessionId, id }).catch(warn);
  if (openai.onDisconnect === 'cancel') signal.addEventListener('abort', onLeft, { once: true });
  try {
    if (signal.aborted) throw new LonghaulError('cancelled', 'The client has left.');
    const result = await runtime.sendAndWait(sessionId, content, { id });
    const last = lastWords(result);
    // Another process may have driven the session: what it said is known now.
    if (!hasText && result.text !== '') tell({ kind: 'content', text: result.text });
    if (last !== undefined) tell({ kind: 'content', text: `${hasText ? '\n\n' : ''}${last}` });
    const finishReason = result.status === 'limit' ? 'length' : toChatFinish(result.finishReason);
    return { finishReason, usage: result.usage };
  } finally {
    end();
    signal.removeEventListener('abort', onLeft);
  }
}

/** What the answer has to end with; a run without an answer is thrown. */
function lastWords({ status, error }: ExecutorResult): string | undefined {
  if (status === 'completed') return undefined;
  if (status === 'limit') return `[${error?.message ?? 'The run has reached a limit.'}]`;
  throw error ?? new LonghaulError('internal', `The run ended: ${status}.`);
}

async function stop(
  { runtime }: Context,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<void> {
  if (await runtime.queue.remove(sessionId, id)) return;
  await runtime.cancel(sessionId);
}

function warn(error: unknown): void {
  process.emitWarning(`A turn over OpenAI's API could not be ended: ${toLonghaulError(error).message}`);
}
