import type { ChatMessage } from '@longhaul/protocol';

/** Whether something in the messages is no text: what an image, a video or a part of an unknown type costs is a guess at any server. */
export function hasUncountedParts(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(isUncounted));
}

/** Clients send parts of any form. */
function isUncounted(part: unknown): boolean {
  return typeof part !== 'object' || part === null || !('text' in part);
}
