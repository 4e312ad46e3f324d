import { isUtf8 } from 'node:buffer';

/** A text, and its encoding if that is not UTF-8. */
export interface DecodedText {
  text: string;
  encoding?: string;
}

/**
 * Decodes a text in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252, which contains Latin-1. Returns
 * undefined for anything else: nothing in a file says that it is in another encoding.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (isUtf8(bytes)) return bytes.includes(0) ? undefined : { text: new TextDecoder().decode(bytes) };
  if (utf16Of(bytes) !== undefined) return decodeUtf16(bytes);
  if (!isWestern(bytes)) return undefined;
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
}

/** Decodes a text in UTF-16 with a byte order mark. Returns undefined for anything else. */
export function decodeUtf16(bytes: Uint8Array): Required<DecodedText> | undefined {
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return undefined;
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : { text, encoding: encoding.toUpperCase() };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Returns the encoding that the first bytes of a file name, if it is UTF-16. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Bytes without a character in Windows-1252. */
const UNUSED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
const LINE_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d]);
/** In Western languages, most letters are in ASCII. In a text of another alphabet, most are not. */
const MOST_BEYOND_ASCII = 0.3;
/** From here on, the bytes of Latin-1 are accented letters, except × and ÷. */
const FIRST_LETTER = 0xc0;
const MOST_LETTERS_IN_A_ROW = 2;

function isWestern(bytes: Uint8Array): boolean {
  let beyondAscii = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && !LINE_CONTROLS.has(byte)) || byte === 0x7f || UNUSED.has(byte)) return false;
    if (byte >= 0x80) beyondAscii += 1;
  }
  return beyondAscii <= bytes.length * MOST_BEYOND_ASCII || hasAccentedLettersOnly(bytes);
}

/** Whether a short text such as `é` can be Western: other encodings use other bytes too, or long runs of them. */
function hasAccentedLettersOnly(bytes: Uint8Array): boolean {
  let inARow = 0;
  for (const byte of bytes) {
    inARow = byte >= 0x80 ? inARow + 1 : 0;
    const isSign = byte === 0xd7 || byte === 0xf7;
    if (byte >= 0x80 && (byte < FIRST_LETTER || isSign || inARow > MOST_LETTERS_IN_A_ROW)) return false;
  }
  return true;
}
