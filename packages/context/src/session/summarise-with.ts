import { LonghaulError } from '@longhaul/protocol';
import type { Summarise, SummaryReply } from '../narrative.ts';
import type { MessageFormat } from './message-format.ts';
import type { SessionSummarise } from './session-types.ts';

interface RequestParts<M> {
  format: MessageFormat<M>;
  /** Returns the caller's messages for the first `count` messages of the view. */
  shown: (count: number) => M[];
}

/** Asks the caller's model with the caller's own messages. A failure is returned as a value; a cancel is rethrown. */
export function summariseWith<M>(
  summarise: SessionSummarise<M>,
  { format, shown }: RequestParts<M>,
): Summarise {
  return async ({ messages, maxOutputTokens }) => {
    const instruction = messages.at(-1)?.content.map((part) => (part.type === 'text' ? part.text : ''));
    const asked = format.userMessage(instruction?.join('\n') ?? '');
    try {
      const reply = await summarise({ messages: [...shown(messages.length - 1), asked], maxOutputTokens });
      return toReply(reply);
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'AbortError')
        throw new LonghaulError('cancelled', 'The summary was cancelled.', { cause: thrown });
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
