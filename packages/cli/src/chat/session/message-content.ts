import type { UserMessageContentPart } from '@longhaul/protocol';

/** The text that a person typed, without attached files. */
export function textOf(content: readonly UserMessageContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** Names of what is attached to a message. */
export function attachedNames(content: readonly UserMessageContentPart[]): string[] {
  return content.flatMap((part) => {
    if (part.type === 'text') return [];
    return [part.type === 'file' && part.filename !== undefined ? part.filename : part.type];
  });
}
