import type { Part, UserMessageContentPart } from '@longhaul/protocol';

/** The text of a message, without attached files, reasoning and tool calls. */
export function textOf(content: readonly (Part | UserMessageContentPart)[], separator = '\n'): string {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join(separator);
}

/** Names of what is attached to a message. */
export function attachedNames(content: readonly UserMessageContentPart[]): string[] {
  return content.flatMap((part) => {
    if (part.type === 'text') return [];
    return [part.type === 'file' && part.filename !== undefined ? part.filename : part.type];
  });
}
