import { type ByteRange, objectMembers } from './json-ranges.ts';

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ESCAPE_BYTES = 6;
const REPLACEMENT = Buffer.from('\\ufffd');
/** UTF-8 has no surrogates, so a surrogate in a body is an escape. */
const STARTS = [Buffer.from('\\ud'), Buffer.from('\\uD')];
const MAY_BE_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Returns the body of a chat request with U+FFFD for each escaped surrogate without its pair in its messages. Servers
 * that read the body strictly would refuse it. All other bytes stay. The same buffer if there is no such surrogate.
 */
export function withoutLoneSurrogates(body: Buffer): Buffer {
  if (!STARTS.some((start) => body.includes(start))) return body;
  const places = objectMembers(body).filter(({ key }) => key === 'messages');
  return places.reduce((changed, { value }) => replaceIn(changed, value), body);
}

/** Does the same for a text that should be JSON, such as the arguments of a call. */
export function replaceLoneEscapes(json: string): string {
  if (!MAY_BE_SURROGATE.test(json)) return json;
  const before = Buffer.from(json);
  const after = replaceIn(before, { start: 0, end: before.length });
  return after === before ? json : after.toString();
}

/** Reads each byte once. Most bodies with escapes have many, so a loop is faster than `indexOf`. */
function replaceIn(json: Buffer, { start, end }: ByteRange): Buffer {
  let changed = json;
  for (let at = start; at < end; ) {
    if (json[at] !== BACKSLASH) {
      at += 1;
      continue;
    }
    const length = escapeLength(json, at);
    if (length === undefined) {
      if (changed === json) changed = Buffer.from(json);
      for (let digit = 2; digit < ESCAPE_BYTES; digit += 1) changed[at + digit] = REPLACEMENT[digit] ?? 0;
    }
    at += length ?? ESCAPE_BYTES;
  }
  return changed;
}

/** Returns the length of the escape at `at`, or of a pair of surrogates; undefined for a surrogate without its pair. */
function escapeLength(json: Buffer, at: number): number | undefined {
  const unit = escapedUnit(json, at);
  if (unit === undefined) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return ESCAPE_BYTES;
  const next = unit < 0xdc00 ? escapedUnit(json, at + ESCAPE_BYTES) : undefined;
  return next !== undefined && next >= 0xdc00 && next <= 0xdfff ? 2 * ESCAPE_BYTES : undefined;
}

/** Returns the code unit that is escaped at `at`; undefined if there is no such escape. */
function escapedUnit(json: Buffer, at: number): number | undefined {
  if (json[at] !== BACKSLASH || json[at + 1] !== LETTER_U) return undefined;
  let unit = 0;
  for (let digit = at + 2; digit < at + ESCAPE_BYTES; digit += 1) {
    const value = HEX_VALUES[json[digit] ?? 0] ?? -1;
    if (value < 0) return undefined;
    unit = unit * 16 + value;
  }
  return unit;
}

const HEX_VALUES = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);
