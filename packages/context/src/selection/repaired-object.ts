import { type LooseObject, looseObject } from './loose-json.ts';

/** A repair of a long text costs time. A selection has some kilobytes. */
const MAX_CHARS = 64_000;

/** An object that begins with one of the requested keys. */
const START = /\{\s*["'“”‘’`]?(?:keep|pruned_?conversation|condense|summary)\b/gi;

/** The repair fails at control characters, such as those of colours in copied output. */
const UNREPAIRABLE = /(?![\t\n\r])\p{Cc}/gu;

/**
 * Returns the last object of a text that is a selection in invalid JSON: with line breaks in texts, trailing commas, or
 * without its end.
 */
export function repairedObject(text: string): LooseObject | undefined {
  const start = [...text.matchAll(START)].at(-1)?.index;
  if (start === undefined) return undefined;
  const body = text
    .slice(start, start + MAX_CHARS)
    .replace(/\s*```[^`]*$/, '')
    .replace(UNREPAIRABLE, '')
    .trimEnd();
  return looseObject(body);
}
