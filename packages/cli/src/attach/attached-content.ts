import { basename } from 'node:path';
import { plural, sizeAndLimit } from '@longhaul/core/tool-output';
import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { decodeText, recogniseMedia } from '@longhaul/tools';
import { hasPrivateKey } from '@longhaul/tools/secret-files';

const MAX_TEXT_BYTES = 100_000;
/** Larger images than a provider accepts are scaled down when they are sent. */
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_PDF_BYTES = 10 * 1024 * 1024;

export interface FileToAttach {
  /** As typed, for messages. */
  typed: string;
  path: string;
  size: number;
  /** Reads the first bytes. */
  read: (length: number) => Promise<Uint8Array>;
}

/** Returns the content of a file as a part of a message. @throws {LonghaulError} `usage` */
export async function attachedContent(file: FileToAttach): Promise<UserMessageContentPart> {
  const media = recogniseMedia(await file.read(16));
  if (media === undefined) return textOf(file);
  const maxBytes = media.kind === 'image' ? MAX_IMAGE_BYTES : MAX_PDF_BYTES;
  if (file.size > maxBytes) {
    const { size, limit } = sizeAndLimit(file.size, maxBytes);
    throw refusal(file, `has ${size}. An attached file of this type can have at most ${limit}.`);
  }
  const data = Buffer.from(await file.read(maxBytes)).toString('base64');
  const { mediaType } = media;
  return media.kind === 'image'
    ? { type: 'image', data, mediaType }
    : { type: 'file', data, mediaType, filename: basename(file.path) };
}

async function textOf(file: FileToAttach): Promise<UserMessageContentPart> {
  if (file.size > MAX_TEXT_BYTES) {
    const { size, limit } = sizeAndLimit(file.size, MAX_TEXT_BYTES);
    const why = `has ${size}. An attached text can have at most ${limit}.`;
    throw refusal(file, `${why} Name it without the @: the agent then reads it in parts.`);
  }
  const decoded = decodeText(await file.read(MAX_TEXT_BYTES));
  if (decoded === undefined) throw noText(file);
  const { text, encoding } = decoded;
  if (hasPrivateKey(text)) throw refusal(file, 'contains a private key, so it is not sent to the model.');
  const name = encoding === undefined ? file.path : `${file.path} (in ${encoding})`;
  return { type: 'text', text: `Attached file ${name}:\n${text === '' ? '[empty file]' : text}` };
}

function noText(file: FileToAttach): LonghaulError {
  const why = `is a binary file of ${plural(file.size, 'byte')}, or a text in an unknown encoding.`;
  const accepted =
    'Texts in UTF-8, UTF-16 with a byte order mark or Windows-1252 (Latin-1), images (PNG, JPEG, GIF, WebP) and PDFs can be attached.';
  const remedy =
    'To convert a text: iconv -f ENCODING -t UTF-8 FILE. Or name the file without the @: the agent then uses its tools.';
  return refusal(file, `${why} ${accepted} ${remedy}`);
}

export function refusal({ typed }: Pick<FileToAttach, 'typed'>, reason: string): LonghaulError {
  return new LonghaulError('usage', `${typed} ${reason}`);
}
