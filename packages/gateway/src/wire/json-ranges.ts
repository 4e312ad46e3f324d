/** The position of a value in the bytes of a JSON text. */
export interface ByteRange {
  start: number;
  /** Exclusive. */
  end: number;
}

export interface JsonMember {
  key: string;
  value: ByteRange;
}

/**
 * Returns the members of a JSON object in their order, duplicates included, without parsing the values.
 *
 * The text must be valid JSON; callers have parsed it before. Positions are in bytes, so an edit of one range leaves
 * all other bytes as they were sent, including large numbers and unusual white space.
 *
 * @param at Position of the opening brace.
 */
export function objectMembers(json: Uint8Array, at = skipSpace(json, 0)): JsonMember[] {
  const members: JsonMember[] = [];
  let position = skipSpace(json, at + 1);
  while (position < json.length && json[position] !== CLOSE_BRACE) {
    const keyEnd = skipString(json, position);
    const key = decodeKey(json, { start: position, end: keyEnd });
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, start);
    members.push({ key, value: { start, end } });
    position = skipSpace(json, end);
    if (json[position] === COMMA) position = skipSpace(json, position + 1);
  }
  return members;
}

/** Returns the elements of the JSON array whose opening bracket is at `at`. */
export function arrayElements(json: Uint8Array, at: number): ByteRange[] {
  const elements: ByteRange[] = [];
  let position = skipSpace(json, at + 1);
  while (position < json.length && json[position] !== CLOSE_BRACKET) {
    const end = skipValue(json, position);
    elements.push({ start: position, end });
    position = skipSpace(json, end);
    if (json[position] === COMMA) position = skipSpace(json, position + 1);
  }
  return elements;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

function skipSpace(json: Uint8Array, from: number): number {
  let position = from;
  while (isSpace(json[position])) position += 1;
  return position;
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Returns the position after the string whose opening quote is at `from`. The closing quote is the next one with an
 * even number of backslashes before it.
 */
function skipString(json: Uint8Array, from: number): number {
  // Most of a body is text, and `indexOf` scans many bytes at a time.
  for (let quote = json.indexOf(QUOTE, from + 1); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

function skipValue(json: Uint8Array, from: number): number {
  const first = json[from];
  if (first === QUOTE) return skipString(json, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipScalar(json, from);
  let depth = 0;
  let position = from;
  while (position < json.length) {
    const byte = json[position];
    if (byte === QUOTE) {
      position = skipString(json, position);
      continue;
    }
    position += 1;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return position;
    }
  }
  return json.length;
}

function skipScalar(json: Uint8Array, from: number): number {
  let position = from;
  for (; position < json.length; position += 1) {
    const byte = json[position];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break;
  }
  return position;
}

/** A key may contain escapes: `"mess\u0061ges"` is `messages`. */
function decodeKey(json: Uint8Array, { start, end }: ByteRange): string {
  const text = Buffer.from(json.buffer, json.byteOffset + start, end - start).toString('utf8');
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}
