import type { JsonObject, JsonValue } from '@longhaul/protocol';

/**
 * Fields of JSON that somebody else wrote. Nothing about it can be trusted, so each accessor answers undefined (or an empty list)
 * where the type is not the one expected, and never throws.
 */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** A count of tokens: whole and not negative. */
export function countAt(owner: JsonObject | undefined, key: string): number {
  return Math.max(0, Math.round(numberAt(owner, key) ?? 0));
}

/** Milliseconds since 1970, from an ISO date, from seconds or from milliseconds. */
export function instantAt(owner: JsonObject | undefined, key: string): number | undefined {
  const value = owner?.[key];
  if (typeof value === 'string') {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  if (typeof value !== 'number' || !(value > 0) || value > MAX_INSTANT) return undefined;
  return Math.round(value < SECONDS_BELOW ? value * 1000 : value);
}

/** A number below this counts seconds (the year 5138), one above it milliseconds (from 1973 on). */
const SECONDS_BELOW = 1e11;
/** The last instant that fits into a UUIDv7. */
const MAX_INSTANT = 2 ** 48 - 1;

/** The JSON text of a value, without blanks; undefined where it is nested too deep to be written. */
export function compactJson(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Arguments that stand as JSON in a string; what is no JSON object comes back as text beside an empty one. */
export function parseArguments(value: JsonValue | undefined): { input: JsonObject; inputText?: string } {
  if (isObject(value)) return { input: value };
  if (typeof value !== 'string')
    return value === undefined || value === null ? { input: {} } : { input: { value } };
  try {
    const parsed: JsonValue = JSON.parse(value);
    if (isObject(parsed)) return { input: parsed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return value === '' ? { input: {} } : { input: {}, inputText: value };
}
