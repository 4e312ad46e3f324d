import { type FileContent, type ImageContent, LonghaulError, type TextContent } from '@longhaul/protocol';
import { formatBytes } from '../ui/format.ts';

/** A file that is sent with a message. */
export interface Attachment {
  id: number;
  name: string;
  bytes: number;
  part: TextContent | FileContent | ImageContent;
  /** Of an image: the file, for the preview. */
  image?: File;
}

/** Larger files are refused before they are read. The limits are those of the command line. */
const MAX_TEXT_BYTES = 100_000;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_PDF_BYTES = 10 * 1024 * 1024;
/** The server takes requests of 32 MiB, in which files are a third larger. */
const MAX_ALL_BYTES = 23_000_000;

let count = 0;

/** Reads a file of the browser. @throws If it cannot be attached, with a message for the reader. */
export async function readAttachment(file: File): Promise<Attachment> {
  const name = nameOf(file);
  if (file.size === 0) throw refusal(`${name} is empty.`);
  const mediaType = recogniseMedia(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
  const part = mediaType === undefined ? await readText(file) : await readMedia(file, mediaType);
  count += 1;
  return { id: count, name, bytes: file.size, part, ...(part.type === 'image' && { image: file }) };
}

/** Says why files are too large together. Undefined if they are not. */
export function tooLarge(attachments: readonly Attachment[]): string | undefined {
  const bytes = attachments.reduce((sum, attachment) => sum + attachment.bytes, 0);
  if (bytes <= MAX_ALL_BYTES) return undefined;
  return `The files have ${formatBytes(bytes)} together. A message can have at most ${formatBytes(MAX_ALL_BYTES)}.`;
}

function nameOf(file: File): string {
  const name = file.name.replace(/[/\\\u0000-\u001f]/g, '_').slice(-200);
  return name === '' ? 'file' : name;
}

/** The browser's type of a file comes from its name: it calls TypeScript a video. */
function recogniseMedia(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start);
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  return text.startsWith('%PDF-') ? 'application/pdf' : undefined;
}

async function readMedia(file: File, mediaType: string): Promise<FileContent | ImageContent> {
  const isImage = mediaType !== 'application/pdf';
  assertSize(file, isImage ? MAX_IMAGE_BYTES : MAX_PDF_BYTES, isImage ? 'An image' : 'A PDF');
  const data = toBase64(new Uint8Array(await file.arrayBuffer()));
  return isImage
    ? { type: 'image', data, mediaType }
    : { type: 'file', data, mediaType, filename: nameOf(file) };
}

async function readText(file: File): Promise<TextContent> {
  const name = nameOf(file);
  const isText = !new Uint8Array(await file.slice(0, 8_000).arrayBuffer()).includes(0);
  if (!isText)
    throw refusal(
      `${name} cannot be attached. Texts, images (PNG, JPEG, GIF, WebP) and PDFs can. Put it into the workspace: the agent then uses its tools.`,
    );
  assertSize(file, MAX_TEXT_BYTES, 'A text');
  return { type: 'text', text: `Attached file ${name}:\n${await file.text()}` };
}

function assertSize(file: File, maxBytes: number, kind: string): void {
  if (file.size <= maxBytes) return;
  const limit = `${kind} can have at most ${formatBytes(maxBytes)}`;
  throw refusal(
    `${nameOf(file)} has ${formatBytes(file.size)}. ${limit}. Put it into the workspace: the agent then reads it in parts.`,
  );
}

function refusal(message: string): LonghaulError {
  return new LonghaulError('input_unsupported', message);
}

/** In pieces, because a call takes a limited number of arguments. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

const PIECE = 8_192;
