import {
  type CoalescedMessage,
  LonghaulError,
  type QueuedMessage,
  type UserMessageContentPart,
} from '@longhaul/protocol';

/**
 * Combines queued messages into one, in order. A single message stays unchanged, two become `First: …` and `Also: …`,
 * three or more are numbered. Images and files keep their positions.
 */
export function coalesce(messages: readonly QueuedMessage[]): CoalescedMessage {
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) {
    throw new LonghaulError('internal', 'Coalescing needs at least one queued message, got none.');
  }
  return {
    messages: [...messages],
    combinedContent: messages.length === 1 ? [...first.content] : combine(messages),
    firstQueuedAt: first.queuedAt,
    lastQueuedAt: last.queuedAt,
  };
}

function combine(messages: readonly QueuedMessage[]): UserMessageContentPart[] {
  const combined: UserMessageContentPart[] = [];
  for (const [index, message] of messages.entries()) {
    const label = labelOf(index, messages.length);
    const separator = index === 0 ? '' : '\n\n';
    const [head, ...rest] = message.content;
    if (head?.type === 'text')
      combined.push({ type: 'text', text: `${separator}${label}${head.text}` }, ...rest);
    else combined.push({ type: 'text', text: `${separator}${label}` }, ...message.content);
  }
  return joinTexts(combined);
}

function labelOf(index: number, total: number): string {
  if (total > 2) return `[${index + 1}]: `;
  return index === 0 ? 'First: ' : 'Also: ';
}

/** Joins adjacent texts into one part. */
function joinTexts(parts: readonly UserMessageContentPart[]): UserMessageContentPart[] {
  const joined: UserMessageContentPart[] = [];
  for (const part of parts) {
    const previous = joined.at(-1);
    if (part.type === 'text' && previous?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: previous.text + part.text };
    } else {
      joined.push(part);
    }
  }
  return joined;
}
