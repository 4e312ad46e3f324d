import type { ViewAssistantPart, ViewMessage, ViewText, ViewUserMessage } from '@longhaul/context/engine';
import {
  blobReference,
  type JsonValue,
  parseBlobReference,
  type ToolOutputContent,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { BlobStore, ModelInfo } from '../../ports/index.ts';

type Content = UserMessageContentPart | ToolOutputContent;

/** Moves the bytes of images and files into the blob store and replaces them with `@blob:<id>`. */
export async function storeMedia<T extends Content>(content: readonly T[], blobs: BlobStore): Promise<T[]> {
  return Promise.all(content.map((part) => storeOne(part, blobs)));
}

async function storeOne<T extends Content>(part: T, blobs: BlobStore): Promise<T> {
  if (part.type === 'text' || parseBlobReference(part.data) !== undefined) return part;
  const { id } = await blobs.put(Buffer.from(part.data, 'base64'));
  return { ...part, data: blobReference(id) };
}

export interface ExpandOptions {
  blobs: BlobStore;
  accepts: ModelInfo['accepts'];
  /** Called for each medium that the model does not support. */
  onUnsupported?: (mediaType: string) => void;
}

/**
 * Replaces blob references in a view with their bytes. Unsupported media and missing blobs become a line of text, so
 * that the request does not fail.
 */
export async function expandBlobReferences(
  messages: readonly ViewMessage[],
  options: ExpandOptions,
): Promise<ViewMessage[]> {
  return Promise.all(messages.map((message) => expandMessage(message, options)));
}

async function expandMessage(message: ViewMessage, options: ExpandOptions): Promise<ViewMessage> {
  if (message.role === 'user') {
    if (message.content.every((part) => part.type === 'text' && part.opaque === undefined)) return message;
    const expand = (part: ViewUserMessage['content'][number]) =>
      part.type === 'text' ? expandText(part, options) : expandContent(part, options);
    return { ...message, content: await Promise.all(message.content.map(expand)) };
  }
  const hasBlobs = message.content.some(
    (part) =>
      (part.type === 'tool' && part.output.some((content) => content.type !== 'text')) ||
      (part.type === 'text' && part.opaque !== undefined),
  );
  if (!hasBlobs) return message;
  return { ...message, content: await Promise.all(message.content.map((part) => expandPart(part, options))) };
}

async function expandPart(part: ViewAssistantPart, options: ExpandOptions): Promise<ViewAssistantPart> {
  if (part.type === 'tool')
    return {
      ...part,
      output: await Promise.all(part.output.map((output) => expandContent(output, options))),
    };
  return part.type === 'text' ? expandText(part, options) : part;
}

async function expandText<Text extends ViewText>(
  part: Text,
  options: ExpandOptions,
): Promise<Text | Omit<Text, 'opaque'>> {
  if (part.opaque === undefined) return part;
  const { opaque, ...text } = part;
  const items = await itemsOf(opaque.blob, options.blobs);
  return items === undefined ? text : { ...text, opaque: { ...opaque, items } };
}

/** Loads a provider's summary. Undefined if its blob is missing or damaged: the text of the summary is used then. */
async function itemsOf(reference: string, blobs: BlobStore): Promise<JsonValue[] | undefined> {
  const data = await bytesOf(parseBlobReference(reference) ?? '', blobs);
  if (data === undefined) return undefined;
  try {
    const items: JsonValue = JSON.parse(Buffer.from(data).toString('utf8'));
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined if the blob is missing or damaged. */
async function bytesOf(id: string, blobs: BlobStore): Promise<Uint8Array | undefined> {
  return blobs.get(id).catch((error: unknown) => {
    if (toLonghaulError(error).code === 'blob_not_found') return undefined;
    throw error;
  });
}

async function expandContent(
  part: Content,
  { blobs, accepts, onUnsupported }: ExpandOptions,
): Promise<Content> {
  if (part.type === 'text') return part;
  const mediaType = part.mediaType ?? 'image/png';
  const isAccepted = mediaType.startsWith('image/') ? accepts.images : accepts.files;
  if (!isAccepted) {
    onUnsupported?.(mediaType);
    return { type: 'text', text: `[${mediaType} omitted: not supported by this model]` };
  }
  const id = parseBlobReference(part.data);
  if (id === undefined) return part;
  const data = await bytesOf(id, blobs);
  if (data === undefined)
    return { type: 'text', text: `[${mediaType} omitted: its data is missing or damaged]` };
  return { ...part, data: Buffer.from(data).toString('base64') };
}
