import {
  type CoalescedMessage,
  LonghaulError,
  type QueuedMessage,
  type UserMessageContentPart,
} from '@longhaul/protocol';

/**
 * Makes queued messages one, so that the model reads them together and in order: one as it is, two as `First: …` and `Also: …`, three
 * and more numbered. Images and files stay where they stood.
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

/** Texts that stand beside each other become one part. */
function joinTexts(parts: readonly UserMessageContentPart[]): UserMessageContentPart[] {
  const joined: UserMessageContentPart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (part.type === 'text' && before?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: before.text + part.text };
    } else {
      joined.push(part);
    }
  }
  return joined;
}
