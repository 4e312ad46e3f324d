import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';

// Accessors for untrusted JSON. If a value does not have the expected type, they return undefined or an empty list.
// They never throw.

export function objectAt(owner: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = owner?.[key];
  return isObject(value) ? value : undefined;
}

export function listAt(owner: JsonObject | undefined, key: string): JsonValue[] {
  const value = owner?.[key];
  return Array.isArray(value) ? value : [];
}

export function objectsAt(owner: JsonObject | undefined, key: string): JsonObject[] {
  return listAt(owner, key).filter(isObject);
}

export function textAt(owner: JsonObject | undefined, key: string): string | undefined {
  const value = owner?.[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(owner: JsonObject | undefined, key: string): number | undefined {
  const value = owner?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns a token count, rounded and not negative; 0 if there is no number. */
export function countAt(owner: JsonObject | undefined, key: string): number {
  return Math.max(0, Math.round(numberAt(owner, key) ?? 0));
}

/** Returns milliseconds since 1970 from an ISO date, from seconds or from milliseconds. */
export function instantAt(owner: JsonObject | undefined, key: string): number | undefined {
  const value = owner?.[key];
  if (typeof value === 'string') {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  if (typeof value !== 'number' || !(value > 0) || value > MAX_INSTANT) return undefined;
  return Math.round(value < SECONDS_BELOW ? value * 1000 : value);
}

/** A smaller number is in seconds (up to the year 5138), a larger one in milliseconds (from 1973 on). */
const SECONDS_BELOW = 1e11;
/** The last instant that fits into a UUIDv7. */
const MAX_INSTANT = 2 ** 48 - 1;

/** Returns a value as JSON without whitespace, or undefined if it is nested too deep to be serialised. */
export function compactJson(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Parses arguments that are an object or JSON in a string. For other text, `input` is empty and `inputText` is the
 * text.
 */
export function parseArguments(value: JsonValue | undefined): { input: JsonObject; inputText?: string } {
  if (isObject(value)) return { input: value };
  if (typeof value !== 'string')
    return value === undefined || value === null ? { input: {} } : { input: { value } };
  const parsed = parseJson(value);
  if (isObject(parsed)) return { input: parsed };
  return value === '' ? { input: {} } : { input: {}, inputText: value };
}

/** A longer string whose start has no whitespace is data in base64, not text. */
const MAX_WORD_CHARS = 1_000;

/** Returns the number of characters of text in all strings of a value, without keys. Never overflows the stack. */
export function stringChars(value: JsonValue): number {
  let chars = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') chars += isData(next) ? 0 : next.length;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isObject(next)) for (const item of Object.values(next)) if (item !== undefined) open.push(item);
  }
  return chars;
}

function isData(text: string): boolean {
  return text.length > MAX_WORD_CHARS && !/\s/.test(text.slice(0, MAX_WORD_CHARS));
}
