import type { ListedMessage } from '@longhaul/protocol/api';

/** The text of a message, as it is copied: without reasoning and tools. */
export function textOfMessage({ parts }: ListedMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
}
