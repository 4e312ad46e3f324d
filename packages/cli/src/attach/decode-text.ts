import { isUtf8 } from 'node:buffer';

/** A text, and its encoding if that is not UTF-8. */
export interface DecodedText {
  text: string;
  encoding?: string;
}

/**
 * Decodes a text in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252, which contains Latin-1. Returns undefined
 * for anything else: nothing in a file says that it is in another encoding.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (isUtf8(bytes)) return bytes.includes(0) ? undefined : { text: new TextDecoder().decode(bytes) };
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return decodeWide(bytes, wide);
  if (!isWestern(bytes)) return undefined;
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
}

function wideEncoding([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function decodeWide(bytes: Uint8Array, encoding: string): DecodedText | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : { text, encoding: encoding.toUpperCase() };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Bytes without a character in Windows-1252. */
const UNUSED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);
/** In Western languages, most letters are in ASCII. In a text of another alphabet, most are not. */
const MOST_BEYOND_ASCII = 0.3;

function isWestern(bytes: Uint8Array): boolean {
  let beyondAscii = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && !LINE_CONTROLS.has(byte)) || byte === 0x7f || UNUSED.has(byte)) return false;
    if (byte >= 0x80) beyondAscii += 1;
  }
  return beyondAscii <= bytes.length * MOST_BEYOND_ASCII;
}
