import { textOfOutput } from '@longhaul/context/engine';
import {
  handleOf,
  type Part,
  parseBlobReference,
  parseHandle,
  type ToolPart,
  toLonghaulError,
} from '@longhaul/protocol';
import type { BlobStore, OutputRecord, Store } from '../ports/index.ts';
import type { SessionHistory } from '../ports/tool.ts';
import { plural } from '../tool-output/index.ts';
import { childAt } from './subtasks/family-tree.ts';

/**
 * Gives `recall` access to the session: searches the store's index, and reads handles from messages and blobs. Reverted
 * messages are not found.
 */
export function createSessionHistory(options: {
  store: Store;
  blobs: BlobStore;
  sessionId: string;
}): SessionHistory {
  const { store, blobs, sessionId } = options;
  /** Returns what the model saw if the full text was deleted, with the reason. */
  const textOf = async (part: Part, handle: string): Promise<string> => {
    try {
      return await fullTextOf(part, blobs);
    } catch (error) {
      if (part.type !== 'tool' || toLonghaulError(error).code !== 'blob_not_found') throw error;
      const output = (await store.listOutputs(sessionId)).find((record) => record.handle === handle);
      if (output?.deletedAt === undefined) throw error;
      return `${describeDeleted(output)}\n${shownText(part)}`;
    }
  };
  return {
    search: (terms, limit) => store.search(terms, { sessionId, limit }),
    async child(handle) {
      const child = await childAt(store, sessionId, handle);
      return child && createSessionHistory({ store, blobs, sessionId: child.id });
    },
    async fullText(handle) {
      const place = parseHandle(handle);
      if (place === undefined) return undefined;
      const page = { after: place.sequence - 1, limit: 1, skipReverted: true };
      const { messages } = await store.readMessages(sessionId, page);
      const message = messages.find(({ sequence }) => sequence === place.sequence);
      if (message === undefined) return undefined;
      if (place.partIndex !== undefined) {
        const part = message.parts[place.partIndex];
        return part === undefined || part.type === 'patch' ? undefined : textOf(part, handle);
      }
      const texts = await Promise.all(
        message.parts.map((part, index) => textOf(part, handleOf(place.sequence, index))),
      );
      return texts.filter((text) => text !== '').join('\n\n');
    },
  };
}

async function fullTextOf(part: Part, blobs: BlobStore): Promise<string> {
  if (part.type === 'file') return `[${part.mediaType} ${part.filename ?? ''}]`;
  // What is not for the model cannot be recalled either.
  if (part.type === 'patch' || (part.type === 'notice' && !part.forModel)) return '';
  if (part.type !== 'tool') return part.text;
  const id = part.fullOutput === undefined ? undefined : parseBlobReference(part.fullOutput);
  if (id === undefined) return shownText(part);
  return `${callText(part)}\n${new TextDecoder().decode(await blobs.get(id))}`;
}

function shownText(part: ToolPart): string {
  return `${callText(part)}\n${textOfOutput(part.output ?? [])}`;
}

function callText({ name, input, inputText }: ToolPart): string {
  return `${name} ${inputText ?? JSON.stringify(input)}`;
}

function describeDeleted({ bytes, deletedAt = 0 }: OutputRecord): string {
  const day = new Date(deletedAt).toISOString().slice(0, 10);
  return `[The full output (${plural(bytes, 'byte')}) was deleted on ${day}, because this session kept too much output. To see it, run the call again. What you saw of it:]`;
}
