import { soundPng } from './sound-png.ts';

/**
 * Returns what is wrong with a medium, in words that complete "it was left out: …", or undefined. Providers refuse the
 * whole request because of one such file. Only the structure is checked, so a file without a problem may still be
 * refused.
 */
export function mediaProblem(bytes: Uint8Array, mediaType: string): string | undefined {
  if (bytes.length === 0) return 'it is empty';
  switch (mediaType) {
    case 'image/png':
      return soundPng(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) === undefined
        ? DAMAGED
        : undefined;
    case 'image/jpeg':
      return isSoundJpeg(bytes) ? undefined : DAMAGED;
    case 'image/gif':
      return /^GIF8[79]a/.test(textAt(bytes, 0, 6)) && bytes.length > 13 ? undefined : DAMAGED;
    case 'image/webp':
      return isSoundWebp(bytes) ? undefined : DAMAGED;
    case 'application/pdf':
      return pdfProblem(bytes);
    default:
      return undefined;
  }
}

const DAMAGED = 'it is damaged';

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(length, bytes.length - start)).toString(
    'latin1',
  );
}

/** It begins with a start, has a frame, and ends with an end; cameras add bytes after it. Source: ITU T.81. */
function isSoundJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return false;
  for (let at = bytes.length - 2; at > 2; at -= 1) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  }
  return false;
}

/** The file is as long as its header says. Source: RFC 9649. */
function isSoundWebp(bytes: Uint8Array): boolean {
  if (textAt(bytes, 0, 4) !== 'RIFF' || textAt(bytes, 8, 4) !== 'WEBP' || bytes.length < 20) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
}

/** Readers look for both ends of a PDF in this many bytes. */
const PDF_END_BYTES = 4096;

function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = textAt(bytes, 0, bytes.length);
  const end = text.slice(-PDF_END_BYTES);
  if (!text.slice(0, PDF_END_BYTES).includes('%PDF-') || !end.includes('%%EOF')) return DAMAGED;
  // The trailer of a protected file names how it is encrypted.
  return /\/Encrypt(?:\s+\d+\s+\d+\s+R\b|\s*<<)/.test(text) ? 'it is protected by a password' : undefined;
}
