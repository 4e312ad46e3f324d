import { decodeText, utf16Of } from '../decode-text.ts';

const MARK_CHARS = 1_024;
/** In the first bytes of a page: `<meta charset="…">`, `content="text/html; charset=…"` or `<?xml encoding="…"?>`. */
const DECLARED =
  /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w-]+)/i;

/**
 * Decodes a body with the character set of its byte order mark, of its headers, or of its first lines, in this order.
 * Without any, it is UTF-8 or Windows-1252. Returns undefined if it is no text.
 */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const text = decodeWith(bytes, charset);
  return text?.includes('\0') === true ? undefined : text;
}

function decodeWith(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const hasMark =
    (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) || utf16Of(bytes) !== undefined;
  if (hasMark) return decoderFor(utf16Of(bytes) ?? 'utf-8')?.decode(bytes);
  const named = decoderFor(charset) ?? decoderFor(declaredIn(bytes));
  return named === undefined ? decodeText(bytes)?.text : named.decode(bytes);
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, MARK_CHARS)).toString('latin1');
  const [, meta, xml] = DECLARED.exec(start) ?? [];
  const name = meta ?? xml;
  // Bytes that could be read as ASCII are not UTF-16, whatever they say.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name;
}

/** A name that nobody knows counts as none. */
function decoderFor(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
