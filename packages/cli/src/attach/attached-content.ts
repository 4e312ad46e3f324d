import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { compactSize, groupDigits } from '@longhaul/core/tool-output';
import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { recogniseMedia } from '@longhaul/tools';
import { hasPrivateKey } from './secret-files.ts';

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
  const limit = media.kind === 'image' ? MAX_IMAGE_BYTES : MAX_PDF_BYTES;
  if (file.size > limit)
    throw refusal(
      file,
      `has ${compactSize(file.size)}, and an attached file of this type at most ${compactSize(limit)}.`,
    );
  const data = Buffer.from(await file.read(limit)).toString('base64');
  const { mediaType } = media;
  return media.kind === 'image'
    ? { type: 'image', data, mediaType }
    : { type: 'file', data, mediaType, filename: basename(file.path) };
}

async function textOf(file: FileToAttach): Promise<UserMessageContentPart> {
  if (file.size > MAX_TEXT_BYTES) {
    throw refusal(
      file,
      `has ${compactSize(file.size)}, and an attached text at most ${compactSize(MAX_TEXT_BYTES)}. Name it without the @: the agent then reads it in parts.`,
    );
  }
  const bytes = Buffer.from(await file.read(MAX_TEXT_BYTES));
  if (bytes.includes(0) || !isUtf8(bytes)) {
    throw refusal(
      file,
      `is a binary file of ${groupDigits(file.size)} bytes. Texts in UTF-8, images (PNG, JPEG, GIF, WebP) and PDFs can be attached. Name it without the @: the agent then uses its tools.`,
    );
  }
  const text = new TextDecoder().decode(bytes);
  if (hasPrivateKey(text)) throw refusal(file, 'contains a private key, so it is not sent to the model.');
  return { type: 'text', text: `Attached file ${file.path}:\n${text === '' ? '[empty file]' : text}` };
}

export function refusal({ typed }: Pick<FileToAttach, 'typed'>, reason: string): LonghaulError {
  return new LonghaulError('usage', `${typed} ${reason}`);
}
