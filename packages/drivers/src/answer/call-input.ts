import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import type { ParseLoosely } from './loose-json.ts';

/** Whether the tool accepts the arguments. */
export type Accepts = (input: JsonObject) => boolean;

/** Fields that models put around the arguments. */
const WRAPPERS = ['arguments', 'parameters', 'input', 'args'];

/** How often arguments can be encoded as text. */
const MOST_ENCODINGS = 2;

/** Returns the arguments in a text, repaired if the tool accepts them then. Undefined: nothing that it accepts. */
export function repairText(text: string, parse: ParseLoosely, accepts: Accepts): JsonObject | undefined {
  let value = parse(text);
  for (let encodings = 0; typeof value === 'string' && encodings < MOST_ENCODINGS; encodings += 1) {
    value = parse(value);
  }
  if (Array.isArray(value) && value.length === 1) value = value[0];
  return isObject(value) ? repairInput(value, accepts) : undefined;
}

/**
 * Returns arguments that the tool accepts: as they are, without a wrapper, or with values that were encoded as text
 * decoded. Undefined: none of these.
 */
export function repairInput(input: JsonObject, accepts: Accepts): JsonObject | undefined {
  const unwrapped = Object.keys(input)
    .filter((key) => WRAPPERS.includes(key))
    .map((key) => (typeof input[key] === 'string' ? parseJson(input[key]) : input[key]))
    .filter(isObject);
  const candidates = [input, ...unwrapped].flatMap((candidate) => [
    candidate,
    decoded(candidate, (value) => typeof value === 'object' && value !== null),
    decoded(candidate, () => true),
  ]);
  return candidates.find(accepts);
}

/** Decodes the texts of an object that are JSON, if their value passes the filter. */
function decoded(input: JsonObject, filter: (value: JsonValue) => boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const inner = typeof value === 'string' ? parseJson(value) : undefined;
      return [key, inner !== undefined && filter(inner) ? inner : value];
    }),
  );
}
