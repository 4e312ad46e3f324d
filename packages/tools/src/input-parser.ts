import type { ToolInput } from '@longhaul/core';
import type { JsonObject, JsonValue } from '@longhaul/protocol';

/**
 * Other names that models use for a field, learned from other agents' tools. Accepting them costs nothing; refusing
 * them costs a step.
 */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'filename'],
  command: ['cmd'],
  content: ['contents', 'text'],
  old: ['old_string', 'oldText', 'old_text'],
  new: ['new_string', 'newText', 'new_text'],
  all: ['replace_all', 'replaceAll'],
  items: ['todos'],
  timeoutMs: ['timeout', 'timeout_ms'],
  ignoreCase: ['ignore_case'],
};

/** Reads the fields of a tool's arguments, and collects the problems as messages. */
export interface InputFields {
  text(name: string): string;
  optionalText(name: string): string | undefined;
  /** Reads a whole number of at least `min`. A string of digits counts as a number. */
  optionalInteger(name: string, min: number): number | undefined;
  /** Reads a boolean; false if absent. */
  flag(name: string): boolean;
  /** Reads an array. An array as JSON text is accepted too. */
  list(name: string): JsonValue[];
  /** Reports another problem. */
  problem(reason: string): void;
}

/**
 * Parses a tool's arguments. Uses no schema library, because a tool's module must load in a millisecond. `null` counts
 * as absent. The value that `read` returns is used only if no problem was reported.
 *
 * @example parseInput(value, (fields) => ({ path: fields.text('path'), limit: fields.optionalInteger('limit', 1) }))
 */
export function parseInput<Input>(value: JsonValue, read: (fields: InputFields) => Input): ToolInput<Input> {
  if (!isObject(value))
    return { ok: false, reason: `The arguments must be an object, got ${typeName(value)}.` };
  const problems: string[] = [];
  const known = new Set<string>();
  const input = read(createFields(value, { problems, known }));
  if (problems.length === 0) return { ok: true, input };
  const unknown = Object.keys(value).filter((key) => !known.has(key));
  if (unknown.length > 0) problems.push(`Unknown: ${unknown.slice(0, 5).map(quoteName).join(', ')}.`);
  return { ok: false, reason: problems.join(' ') };
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createFields(
  object: JsonObject,
  { problems, known }: { problems: string[]; known: Set<string> },
): InputFields {
  function lookUp(name: string): JsonValue | undefined {
    const names = [name, ...(ALIASES[name] ?? [])];
    for (const each of names) known.add(each);
    const found = names.find((each) => Object.hasOwn(object, each) && object[each] !== null);
    return found === undefined ? undefined : object[found];
  }

  function wrong(name: string, expected: string, value: JsonValue | undefined): void {
    const got = value === undefined ? 'it is missing' : `got ${typeName(value)}`;
    problems.push(`${quoteName(name)} must be ${expected}, ${got}.`);
  }

  function optionalText(name: string): string | undefined {
    const value = lookUp(name);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' && name !== 'path') return String(value);
    wrong(name, 'a string', value);
    return undefined;
  }

  return {
    text(name) {
      const value = lookUp(name);
      if (value === undefined) wrong(name, 'a string', value);
      return optionalText(name) ?? '';
    },
    optionalText,
    optionalInteger(name, min) {
      const value = lookUp(name);
      if (value === undefined || value === '') return undefined;
      const number = typeof value === 'string' && /^\s*-?\d+(\.0+)?\s*$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isSafeInteger(Math.floor(number)) && number >= min) {
        return Math.floor(number);
      }
      const got = typeof number === 'number' ? String(number) : typeName(value);
      problems.push(`${quoteName(name)} must be a whole number of at least ${min}, got ${got}.`);
      return undefined;
    },
    flag(name) {
      const value = lookUp(name);
      if (value === undefined || typeof value === 'boolean') return value ?? false;
      if (value === 'true' || value === 'false') return value === 'true';
      wrong(name, 'true or false', value);
      return false;
    },
    list(name) {
      const value = lookUp(name);
      const list = typeof value === 'string' ? parseJson(value) : value;
      if (Array.isArray(list)) return list;
      wrong(name, 'an array', value);
      return [];
    },
    problem(reason) {
      problems.push(reason);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}

function quoteName(name: string): string {
  return `\`${name.slice(0, 60)}\``;
}
