const MARK = '\ufeff';

/** Returns the text of bytes in UTF-8. Undefined if they are not text. */
export function textIn(data: Uint8Array | string): string | undefined {
  if (typeof data === 'string') return data;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes that a buffer would be saved as. Editors give a buffer's text with line feeds, without a byte order
 * mark, and some without the last line end: where that alone differs, the saved bytes are the buffer.
 *
 * @param saved The bytes of the file. Undefined: there is none.
 * @returns Undefined for an empty buffer without a file: some editors answer so for a missing file.
 */
export function bufferBytes(text: string, saved: Uint8Array | undefined): Uint8Array | undefined {
  const before = saved === undefined ? '' : (textIn(saved) ?? '');
  if (saved === undefined) return text === '' ? undefined : new TextEncoder().encode(text);
  const plain = plainText(text);
  const known = plainText(before);
  if (plain === known || `${plain}\n` === known) return saved;
  const isCrlf = before.includes('\r\n') && !/(?<!\r)\n/.test(before);
  const lines = isCrlf && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  const hasMark = before.startsWith(MARK) && !lines.startsWith(MARK);
  return new TextEncoder().encode(hasMark ? MARK + lines : lines);
}

function plainText(text: string): string {
  return (text.startsWith(MARK) ? text.slice(1) : text).replaceAll('\r\n', '\n');
}
