import type { CutMark, Message } from '@longhaul/protocol';
import type { Budget } from '../budget.ts';
import { firstUserMessage, partKey } from '../log.ts';
import type { PlanInput } from '../strategy.ts';

/** Share of the message budget that a kept user message may take before its middle is cut. */
const USER_MESSAGE_SHARE = 0.25;

/**
 * The rule of all strategies for kept user messages that are too large alone: their middle is cut, and a handle reads
 * it.
 *
 * @param keep Ids of messages that stay. The first user message and pinned messages stay too.
 */
export function cutLargeUserMessages(input: PlanInput, keep: ReadonlySet<string>): CutMark[] {
  const first = firstUserMessage(input.log.messages);
  const { pinned } = input.marks;
  const kept = input.log.messages.filter(
    (message) =>
      message.role === 'user' && (message === first || keep.has(message.id) || pinned.has(message.id)),
  );
  return kept.flatMap((message) => cutMessage(message, input));
}

function cutMessage(message: Message, { budget, meter, marks, round }: PlanInput): CutMark[] {
  return message.parts.flatMap((part, partIndex) => {
    if (part.type !== 'text' || marks.cuts.has(partKey(message.id, partIndex))) return [];
    const maxTokens = maxUserTokens(budget);
    const tokens = meter.messageTokens({ role: 'user', content: [{ type: 'text', text: part.text }] });
    if (tokens <= maxTokens) return [];
    const keepChars = Math.floor((part.text.length * maxTokens) / tokens);
    const id = `cut-${round}-${message.id}-${partIndex}`;
    return [{ kind: 'cut', id, messageId: message.id, partIndex, keepChars, createdAt: 0 }];
  });
}

function maxUserTokens(budget: Budget): number {
  return budget.messageTokens * USER_MESSAGE_SHARE;
}
