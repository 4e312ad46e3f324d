import { isObject, type JsonObject, parseJson } from '@longhaul/protocol';
import { jsonrepair } from 'jsonrepair';
import { compactJson } from './json-fields.ts';
import { splitValues } from './split-values.ts';

export interface ParsedObjects {
  objects: JsonObject[];
  /** Describes the damage, if there is any. */
  problem?: string;
  /** About how many characters of damaged objects are not in `objects`. */
  unreadChars: number;
}

/** Longer damaged text is not repaired, because the repair is slow. */
const MAX_REPAIR_CHARS = 2_000_000;

/**
 * Returns the objects in a text that should be one JSON object. It can also be several, damaged, or surrounded by other
 * text. Never throws.
 */
export function parseObjects(text: string): ParsedObjects {
  const value = parseJson(text);
  if (isObject(value)) return { objects: [value], unreadChars: 0 };
  if (value !== undefined) {
    const objects = Array.isArray(value) ? value.filter(isObject) : [];
    return { objects, problem: 'lines without a JSON object', unreadChars: 0 };
  }
  const escaped = parseJson(withLegalEscapes(text));
  if (isObject(escaped))
    return {
      objects: [escaped],
      problem: 'lines with illegal characters or escapes: repaired',
      unreadChars: 0,
    };
  const slices = splitValues(text);
  const parsed = slices.map((slice) => parseSlice(slice.text, slice.isWhole));
  const objects = parsed.flatMap((slice) => slice.objects);
  const isClean = parsed.every((slice) => slice.isClean);
  if (isClean) return { objects, problem: 'lines with several objects: all were read', unreadChars: 0 };
  return {
    objects,
    problem:
      objects.length === 0 ? 'damaged lines that cannot be read' : 'damaged lines, read as far as possible',
    unreadChars: unreadCharsOf(text, objects),
  };
}

/** Text without an object, such as a line of a log, contains nothing of a session. */
function unreadCharsOf(text: string, objects: readonly JsonObject[]): number {
  if (!/\{\s*"/.test(text)) return 0;
  const read = objects.reduce((sum, object) => sum + (compactJson(object)?.length ?? 0), 0);
  return Math.max(0, text.length - read);
}

/** Reads an object that is cut off or damaged, as far as possible. */
export function repairObject(text: string): JsonObject | undefined {
  if (text.length > MAX_REPAIR_CHARS || !/^\s*\{\s*"/.test(text)) return undefined;
  const repaired = tryRepair(text);
  const value = repaired === undefined ? undefined : parseJson(repaired);
  return isObject(value) ? value : undefined;
}

function parseSlice(text: string, isWhole: boolean): { objects: JsonObject[]; isClean: boolean } {
  if (!isWhole && text.trim() === '') return { objects: [], isClean: true };
  const value = isWhole ? parseJson(text) : undefined;
  if (isObject(value)) return { objects: [value], isClean: true };
  const escaped = isWhole ? parseJson(withLegalEscapes(text)) : undefined;
  if (isObject(escaped)) return { objects: [escaped], isClean: false };
  const start = text.indexOf('{"');
  const repaired = start === -1 ? undefined : repairObject(text.slice(start));
  return { objects: repaired === undefined ? [] : [repaired], isClean: false };
}

/**
 * Escapes backslashes before characters that JSON cannot escape, and replaces or removes control characters. Redaction
 * tools leave such text.
 */
function withLegalEscapes(text: string): string {
  return text
    .replace(/\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)/g, (found, legal) =>
      legal === undefined ? '\\\\' : found,
    )
    .replace(/[\u0000-\u001f]/g, (control) => (/\s/.test(control) ? ' ' : ''));
}

function tryRepair(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch (error) {
    // `jsonrepair` throws its own error if it fails, and a RangeError if the text is nested too deep.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
