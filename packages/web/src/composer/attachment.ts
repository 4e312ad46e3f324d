import type { FileContent, ImageContent } from '@longhaul/protocol';

/** A file that is sent with a message. */
export interface Attachment {
  name: string;
  bytes: number;
  part: FileContent | ImageContent;
}

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Reads a file of the browser. */
export async function readAttachment(file: File): Promise<Attachment> {
  const data = toBase64(new Uint8Array(await file.arrayBuffer()));
  const mediaType = file.type.split(';')[0] || 'application/octet-stream';
  const part: Attachment['part'] = IMAGES.has(mediaType)
    ? { type: 'image', data, mediaType }
    : { type: 'file', data, mediaType, filename: file.name };
  return { name: file.name, bytes: file.size, part };
}

/** In pieces, because a call takes a limited number of arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

const PIECE = 8_192;
