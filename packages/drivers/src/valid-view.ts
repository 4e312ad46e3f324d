import type { ViewAssistantPart, ViewMessage } from '@longhaul/context/engine';
import { toToolName } from '@longhaul/models';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/** Views are built from the same messages again and again. Each is checked once. */
const VALID = new WeakMap<ViewMessage, ViewMessage>();

/**
 * Returns the message with what every server accepts: text without lone surrogates, tool names of at most 64 letters,
 * digits, `_` and `-`, and arguments that are an object. Models write anything else too, and servers would refuse every
 * later request because of it. A message that needs no change is the same object.
 */
export function toValidMessage(message: ViewMessage): ViewMessage {
  const known = VALID.get(message);
  if (known !== undefined) return known;
  const formed = wellFormed(message);
  const valid =
    formed.role === 'assistant' && !formed.content.every(isValidPart)
      ? { ...formed, content: formed.content.map(toValidPart) }
      : formed;
  VALID.set(message, valid);
  return valid;
}

function isValidPart(part: ViewAssistantPart): boolean {
  return part.type !== 'tool' || (toToolName(part.name) === part.name && isObject(part.input));
}

function toValidPart(part: ViewAssistantPart): ViewAssistantPart {
  if (part.type !== 'tool') return part;
  return { ...part, name: toToolName(part.name), input: toArguments(part.input) };
}

function toArguments(input: JsonValue): JsonObject {
  return isObject(input) ? input : { arguments: input };
}

/** Returns the value with every lone surrogate replaced by U+FFFD, in keys too. The same object if there is none. */
export function wellFormed<Value>(value: Value): Value {
  return formed(value) as Value;
}

function formed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(formed);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, item]) => [key.toWellFormed(), formed(item)] as const);
  const isSame = changed.every(
    ([key, item], index) => key === entries[index]?.[0] && item === entries[index][1],
  );
  return isSame ? value : Object.fromEntries(changed);
}
