import type { Summarise, SummaryReply } from '../narrative.ts';
import { cancelled, throwIfAborted } from './cancel.ts';
import type { MessageFormat } from './message-format.ts';
import type { FitSignal, SessionSummarise } from './session-types.ts';

interface RequestParts<M> {
  format: MessageFormat<M>;
  /** Returns the caller's messages for the first `count` messages of the view. */
  shown: (count: number) => M[];
  signal: FitSignal | undefined;
}

/** Asks the caller's model with the caller's own messages. A failure is returned as a value; a cancel is rethrown. */
export function summariseWith<M>(
  summarise: SessionSummarise<M>,
  { format, shown, signal }: RequestParts<M>,
): Summarise {
  return async ({ messages, maxOutputTokens }) => {
    const instruction = messages.at(-1)?.content.map((part) => (part.type === 'text' ? part.text : ''));
    const asked = format.userMessage(instruction?.join('\n') ?? '');
    try {
      throwIfAborted(signal);
      const all = [...shown(messages.length - 1), asked];
      const request = { messages: format.join?.(all) ?? all, maxOutputTokens };
      const reply = await summarise(signal === undefined ? request : { ...request, signal });
      throwIfAborted(signal);
      return toReply(reply);
    } catch (thrown) {
      if (signal?.aborted === true || (thrown instanceof Error && thrown.name === 'AbortError'))
        throw cancelled(thrown);
      return failed(thrown);
    }
  };
}

/** If a model writes nothing, clients return a `content` of null. */
function toReply(reply: unknown): SummaryReply {
  if (typeof reply === 'string') return { status: 'ok', text: reply, finishedBy: 'stop' };
  if (isReply(reply)) return reply;
  return { status: 'failed', reason: 'the summariser returned no text' };
}

function isReply(reply: unknown): reply is SummaryReply {
  if (typeof reply !== 'object' || reply === null || !('status' in reply)) return false;
  if (reply.status === 'failed') return 'reason' in reply && typeof reply.reason === 'string';
  return reply.status === 'ok' && 'text' in reply && typeof reply.text === 'string';
}

function failed(thrown: unknown): SummaryReply {
  return { status: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) };
}
