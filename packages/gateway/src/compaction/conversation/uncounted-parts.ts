import type { ChatMessage } from '@longhaul/protocol';

/**
 * Whether messages have parts that are not text. The tokens of an image, a video or a part of an unknown type are only
 * a guess.
 */
export function hasUncountedParts(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(isUncounted));
}

/** Takes `unknown` because clients send parts of any shape. */
function isUncounted(part: unknown): boolean {
  return typeof part !== 'object' || part === null || !('text' in part);
}
