import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';

/** Bytes of the images and files of one prompt. */
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;
/** Characters of one embedded text. The model can read the rest of the file itself. */
const MAX_EMBEDDED_CHARS = 200_000;

/**
 * Converts a prompt to the content of a message. A link to a resource becomes its path, which the agent can read; an
 * embedded text is marked with its path.
 *
 * @throws {LonghaulError} `invalid_request` for audio, for data that is not base64, and for too much of it.
 */
export function contentOf(prompt: readonly ContentBlock[], folder: string): UserMessageContentPart[] {
  const content = prompt.map((block) => partOf(block, folder));
  const bytes = content.reduce((sum, part) => sum + (part.type === 'text' ? 0 : bytesOf(part.data)), 0);
  if (bytes > MAX_MEDIA_BYTES) {
    const limit = `${MAX_MEDIA_BYTES / 1024 / 1024} MB`;
    throw new LonghaulError(
      'request_too_large',
      `The images and files of the prompt take ${Math.ceil(bytes / 1024 / 1024)} MB. At most ${limit} are allowed. Send smaller ones, or name their paths.`,
    );
  }
  return content;
}

function partOf(block: ContentBlock, folder: string): UserMessageContentPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', data: checked(block.data, 'image'), mediaType: imageType(block.mimeType) };
    case 'resource_link':
      return { type: 'text', text: `[${block.title ?? block.name}](${placeOf(block.uri, folder)})` };
    case 'resource':
      return 'text' in block.resource
        ? { type: 'text', text: embedded(block.resource, folder) }
        : blobPart(block.resource);
    case 'audio':
      throw new LonghaulError(
        'invalid_request',
        'The prompt contains audio, which Longhaul does not support. Send text instead.',
      );
  }
}

function blobPart({
  blob,
  mimeType,
  uri,
}: {
  blob: string;
  mimeType?: string | null;
  uri: string;
}): UserMessageContentPart {
  const data = checked(blob, uri);
  const mediaType = mimeType ?? 'application/octet-stream';
  if (mediaType.startsWith('image/')) return { type: 'image', data, mediaType };
  return { type: 'file', data, mediaType, filename: nameOf(uri) };
}

function embedded({ text, uri }: { text: string; uri: string }, folder: string): string {
  const place = placeOf(uri, folder);
  const cut = text.length > MAX_EMBEDDED_CHARS;
  const shown = cut ? text.slice(0, MAX_EMBEDDED_CHARS) : text;
  const more = cut
    ? `\n[cut after ${MAX_EMBEDDED_CHARS} of ${text.length} characters; read the file for the rest]`
    : '';
  return `<file path="${place.replaceAll('"', '&quot;')}">\n${shown}${more}\n</file>`;
}

/** Returns the path of a file, relative to the folder if it is in it. Other addresses stay as they are. */
function placeOf(uri: string, folder: string): string {
  const path = pathOf(uri);
  if (path === undefined) return uri;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function pathOf(uri: string): string | undefined {
  if (uri.startsWith('/')) return uri;
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(uri: string): string {
  const name = (pathOf(uri) ?? uri).split('/').at(-1) ?? '';
  return name === '' ? 'file' : name;
}

function checked(data: string, what: string): string {
  if (data !== '' && /^[A-Za-z0-9+/]*={0,2}$/.test(data)) return data;
  throw new LonghaulError('invalid_request', `The data of ${what.slice(0, 100)} is not base64.`);
}

function imageType(mimeType: string): string {
  if (mimeType.startsWith('image/')) return mimeType;
  throw new LonghaulError(
    'invalid_request',
    `The mimeType of an image must begin with image/, got "${mimeType.slice(0, 100)}". Send another file as a resource.`,
  );
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
