import type { Part } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';

const MAX_CHARS = 160;

/** The beginning of a message in one line: who, then its text or its calls. */
export function messageExcerpt({ role, parts }: Pick<ListedMessage, 'role' | 'parts'>): string {
  const text = parts.flatMap(textOf).join(' · ').replaceAll(/\s+/g, ' ').trim();
  const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  return `${role === 'user' ? 'You' : 'Agent'}: ${cut}`;
}

function textOf(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'notice':
      return [part.text];
    case 'tool':
      return [part.title === undefined ? part.name : `${part.name} ${part.title}`];
    case 'file':
      return [part.filename ?? part.mediaType];
    case 'reasoning':
    case 'patch':
      return [];
  }
}
