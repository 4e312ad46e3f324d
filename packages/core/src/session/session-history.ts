import { textOfOutput } from '@longhaul/context';
import { type Part, parseBlobReference, parseHandle } from '@longhaul/protocol';
import type { BlobStore, Store } from '../ports/index.ts';
import type { SessionHistory } from '../ports/tool.ts';

/** Gives `recall` access to the session: searches the store's index, and reads handles from messages and blobs. */
export function createSessionHistory(options: {
  store: Store;
  blobs: BlobStore;
  sessionId: string;
}): SessionHistory {
  const { store, blobs, sessionId } = options;
  return {
    search: (terms, limit) => store.search(terms, { sessionId, limit }),
    async fullText(handle) {
      const place = parseHandle(handle);
      if (place === undefined) return undefined;
      const { messages } = await store.readMessages(sessionId, { after: place.sequence - 1, limit: 1 });
      const message = messages.find(({ sequence }) => sequence === place.sequence);
      if (message === undefined) return undefined;
      if (place.partIndex !== undefined) {
        const part = message.parts[place.partIndex];
        return part === undefined ? undefined : fullTextOf(part, blobs);
      }
      const texts = await Promise.all(message.parts.map((part) => fullTextOf(part, blobs)));
      return texts.join('\n\n');
    },
  };
}

async function fullTextOf(part: Part, blobs: BlobStore): Promise<string> {
  if (part.type === 'file') return `[${part.mediaType} ${part.filename ?? ''}]`;
  if (part.type !== 'tool') return part.text;
  const id = part.fullOutput === undefined ? undefined : parseBlobReference(part.fullOutput);
  const output =
    id === undefined ? textOfOutput(part.output ?? []) : new TextDecoder().decode(await blobs.get(id));
  return `${part.name} ${JSON.stringify(part.input)}\n${output}`;
}
