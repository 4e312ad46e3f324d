import { isRecord, type JsonRecord } from './json-objects.ts';

export interface RepairedObject {
  value: JsonRecord;
  /** The text ended before the object did, so its last value is incomplete. */
  isCutOff: boolean;
}

/** A repair of a long text costs time. A selection has some kilobytes. */
const MAX_CHARS = 64_000;

/** An object that begins with one of the requested keys. */
const START = /\{\s*["'“”‘’`]?(?:keep|pruned_?conversation|condense|summary)\b/gi;

/**
 * Returns the last object of a text that is a selection in invalid JSON: with line breaks in texts, trailing commas, or
 * without its end. The repair is loaded only for such texts.
 */
export async function repairedObject(text: string): Promise<RepairedObject | undefined> {
  const start = [...text.matchAll(START)].at(-1)?.index;
  if (start === undefined) return undefined;
  const body = text
    .slice(start, start + MAX_CHARS)
    .replace(/\s*```[^`]*$/, '')
    .trimEnd();
  const { jsonrepair } = await import('jsonrepair');
  const end = body.lastIndexOf('}') + 1;
  // Text after the object cannot be repaired, so then the object ends with its last brace.
  for (const piece of [body, body.slice(0, end)]) {
    const value = parseRepaired(piece, jsonrepair);
    if (value !== undefined) return { value, isCutOff: !piece.endsWith('}') };
  }
  return undefined;
}

/** Returns undefined for a text that cannot be repaired. */
function parseRepaired(text: string, repair: (text: string) => string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(repair(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
