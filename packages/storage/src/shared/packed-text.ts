import { deflateSync, inflateSync } from 'node:zlib';

/** Shorter texts hardly get shorter. */
const MIN_CHARS = 400;

/** Returns a long text in fewer bytes, if that saves at least a fifth of it. */
export function packText(text: string): string | Uint8Array {
  if (text.length < MIN_CHARS) return text;
  const packed = deflateSync(text);
  return packed.length < text.length * 0.8 ? packed : text;
}

/**
 * Returns the text of {@link packText}. Text that older versions stored is returned unchanged. Returns an empty text
 * for damaged bytes: a reader of JSON then reports the row.
 */
export function unpackText(stored: unknown): string {
  if (!(stored instanceof Uint8Array)) return String(stored);
  try {
    return inflateSync(stored).toString();
  } catch {
    return '';
  }
}
