import type { ToolInput } from '@longhaul/core';
import { foldName, isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { meantParameter, shownParameters, type ToolDialect } from './dialect/tool-dialect.ts';

/** Reads the fields of a tool's arguments, and collects the problems as messages. */
export interface InputFields {
  text(name: string): string;
  optionalText(name: string): string | undefined;
  /** Reads a whole number of at least `min`. A string of digits counts as a number. */
  optionalInteger(name: string, min: number): number | undefined;
  /** Reads a boolean; false if absent. `1`, `0` and words for them count too. */
  flag(name: string): boolean;
  /** Reads an array. An array as JSON text is accepted too. */
  list(name: string): JsonValue[];
  /** Reads a value of any type, for a parameter that has several forms. */
  value(name: string): JsonValue | undefined;
  /** Reports another problem. */
  problem(reason: string): void;
  /** Names a given parameter whose value has no effect. */
  ignore(name: string): void;
}

/**
 * Parses a tool's arguments, in the dialects that models speak. Uses no schema library, because a tool's module must
 * load in a millisecond. `null` counts as absent. The value that `read` returns is used only if no problem was
 * reported. Parameters that are not known are named at the end of the result.
 *
 * @example parseInput(value, READ_DIALECT, (fields) => ({ path: fields.text('path') }))
 */
export function parseInput<Input>(
  value: JsonValue,
  dialect: ToolDialect,
  read: (fields: InputFields) => Input,
): ToolInput<Input> {
  if (!isObject(value))
    return { ok: false, reason: `The arguments must be an object, got ${typeName(value)}.` };
  const given = readGiven(value, dialect);
  const problems = [...given.problems];
  const input = read(createFields(given, problems));
  const unknown = describeUnknown(given.unknown, dialect);
  if (problems.length > 0)
    return { ok: false, reason: [...problems, ...(unknown === undefined ? [] : [unknown])].join(' ') };
  return { ok: true, input, ...(unknown !== undefined && { remark: `[${unknown}]` }) };
}

/** The values of an object under the names of the tool's own parameters. */
interface Given {
  values: Map<string, JsonValue>;
  /** The names under which they were given. */
  names: Map<string, string>;
  unknown: string[];
  problems: string[];
}

function readGiven(object: JsonObject, dialect: ToolDialect): Given {
  const silent = new Set(dialect.silent?.map(foldName));
  const given: Given = { values: new Map(), names: new Map(), unknown: [], problems: [] };
  for (const [key, value] of Object.entries(object)) {
    if (value === null) continue;
    const meant = meantParameter(dialect, key);
    if (meant === undefined) {
      if (!silent.has(foldName(key)) && !isDefault(value)) given.unknown.push(key);
      continue;
    }
    const { name, factor } = meant;
    const inUnit = factor === undefined ? value : scaled(value, factor);
    const earlier = given.values.get(name);
    if (earlier === undefined || earlier === '') {
      given.values.set(name, inUnit);
      given.names.set(name, key);
    } else if (inUnit !== '' && JSON.stringify(earlier) !== JSON.stringify(inUnit)) {
      const other = given.names.get(name) ?? name;
      given.problems.push(`${quoteName(other)} and ${quoteName(key)} mean the same, but differ: give one.`);
    }
  }
  return given;
}

/** Whether a value usually means that the parameter is not used. */
function isDefault(value: JsonValue): boolean {
  return value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

function scaled(value: JsonValue, factor: number): JsonValue {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return value;
  // Less than one of a coarser unit is rounded up: nobody wants a limit of nothing.
  return number > 0 ? Math.max(number, 1) * factor : number;
}

function describeUnknown(unknown: readonly string[], dialect: ToolDialect): string | undefined {
  if (unknown.length === 0) return undefined;
  const names = unknown.slice(0, 8).map(quoteName).join(', ');
  return `Ignored: ${names}${unknown.length > 8 ? ', …' : ''}. Known: ${shownParameters(dialect).map(quoteName).join(', ')}.`;
}

function createFields({ values, names, unknown }: Given, problems: string[]): InputFields {
  const lookUp = (name: string) => values.get(name);

  function wrong(name: string, expected: string, value: JsonValue | undefined): void {
    const got = value === undefined ? 'it is missing' : `got ${typeName(value)}`;
    problems.push(`${quoteName(name)} must be ${expected}, ${got}.`);
  }

  function optionalText(name: string): string | undefined {
    const value = lookUp(name);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' && name !== 'path') return String(value);
    if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string') return value[0];
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
      if (value === 1 || value === 0) return value === 1;
      const word = typeof value === 'string' ? value.toLowerCase() : '';
      if (word === '' || word === 'false' || word === 'no') return false;
      if (word === 'true' || word === 'yes') return true;
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
    value: lookUp,
    problem(reason) {
      problems.push(reason);
    },
    ignore(name) {
      unknown.push(names.get(name) ?? name);
    },
  };
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}

function quoteName(name: string): string {
  return `\`${name.slice(0, 60)}\``;
}
