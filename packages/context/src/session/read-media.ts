import type { Media } from '../media/count-media.ts';
import { isRecord, stringIn } from './message-format.ts';

/** The kinds of content with media, in all formats with content blocks, and the type of those that name none. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  image: 'image/*',
  image_url: 'image/*',
  input_image: 'image/*',
  audio: 'audio/*',
  input_audio: 'audio/*',
  video: 'video/*',
  file: 'application/pdf',
  input_file: 'application/pdf',
  document: 'application/pdf',
};

/**
 * Reads the image or file in a content block of OpenAI, Anthropic or LangChain. Undefined for other blocks, and for
 * documents that contain text.
 */
export function readMediaBlock(block: Record<string, unknown>): Media | undefined {
  const mediaType = MEDIA_TYPES[stringIn(block, 'type') ?? ''];
  if (mediaType === undefined) return undefined;
  const holder = [block['image_url'], block['source'], block['file'], block['input_audio']].find(isRecord);
  const inner = holder ?? block;
  if (TEXT_SOURCES.includes(stringIn(inner, 'type') ?? '') || inner['source_type'] === 'text')
    return undefined;
  const content = contentIn(inner) ?? contentIn(block);
  const named = FIELDS_OF_TYPE.map((key) => stringIn(inner, key)).find((name) => name !== undefined);
  return {
    mediaType: typeInUrl(content) ?? named ?? mediaType,
    ...(content === undefined || isLink(content) ? {} : { data: content }),
    ...detailIn(inner, block),
  };
}

const TEXT_SOURCES = ['text', 'content'];
const FIELDS_OF_TYPE = ['media_type', 'mime_type', 'mimeType'];
const FIELDS_OF_CONTENT = ['url', 'image_url', 'data', 'file_data'];

function contentIn(holder: Record<string, unknown>): string | Uint8Array | undefined {
  for (const key of FIELDS_OF_CONTENT) {
    const content = holder[key];
    if (typeof content === 'string' || content instanceof Uint8Array) return content;
  }
  return undefined;
}

/** A link has no data. */
function isLink(content: string | Uint8Array): boolean {
  return typeof content === 'string' && /^(?:https?|file|blob|gs|s3):/i.test(content);
}

function typeInUrl(content: string | Uint8Array | undefined): string | undefined {
  return typeof content === 'string' ? /^data:([^;,]+)/.exec(content)?.[1] : undefined;
}

function detailIn(...holders: Record<string, unknown>[]): Partial<Media> {
  const detail = holders.map((holder) => holder['detail']).find((value) => value !== undefined);
  return detail === 'low' || detail === 'high' ? { detail } : {};
}
