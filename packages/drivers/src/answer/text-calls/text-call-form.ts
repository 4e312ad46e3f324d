import type { ToolSchema } from '@longhaul/core';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import type { ParseLoosely } from '../loose-json.ts';

/** A tool call as a model wrote it into its text. */
export interface WrittenCall {
  name: string;
  input: JsonObject;
}

export interface WrittenCalls {
  calls: WrittenCall[];
  /** Length of the calls in the text. */
  length: number;
}

export interface FormTools {
  parse: ParseLoosely;
  /** Returns the schema of the tool that a name means. */
  schemaOf: (name: string) => ToolSchema | undefined;
}

/** Whether a name means a tool. */
export type IsTool = (name: string) => boolean;

/** One form in which models write calls as text. */
export interface TextCallForm {
  /**
   * The texts with which calls in this form begin, if prose does not contain them. Empty: the form has no such marks.
   */
  readonly openers: readonly string[];
  /** Whether calls in this form can begin with the text, which may be incomplete. */
  canBegin(text: string, isTool: IsTool): boolean;
  /** Reads the calls at the beginning of the text. Undefined if it does not begin with complete calls in this form. */
  read(text: string, tools: FormTools): WrittenCalls | undefined;
}

/**
 * Returns `canBegin` for a form with openers.
 *
 * @param after Matches what can follow an opener, also if it is incomplete.
 */
export function beginsAfter(openers: readonly string[], after: RegExp): (text: string) => boolean {
  return (text) =>
    openers.some(
      (opener) =>
        opener.startsWith(text) || (text.startsWith(opener) && after.test(text.slice(opener.length))),
    );
}

/** The fields of a call as JSON. An object with others, such as the description of a tool, is none. */
const FIELDS = new Set([
  'name',
  'tool',
  'tool_name',
  'function',
  'arguments',
  'parameters',
  'input',
  'args',
  'type',
  'id',
  'call_id',
  'index',
  'status',
]);

/** Returns the call in `{name, arguments}`, in the spellings that models use. */
function callIn(value: JsonValue, { parse }: FormTools): WrittenCall | undefined {
  if (!isObject(value) || Object.keys(value).some((key) => !FIELDS.has(key))) return undefined;
  if (isObject(value['function'])) return callIn(value['function'], { parse, schemaOf: () => undefined });
  const name = value['name'] ?? value['tool_name'] ?? value['tool'] ?? value['function'];
  const given = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'] ?? {};
  const input = typeof given === 'string' ? parse(given) : given;
  return typeof name === 'string' && isObject(input) && !isSchema(input) ? { name, input } : undefined;
}

function isSchema(input: JsonObject): boolean {
  return input['type'] === 'object' && isObject(input['properties']);
}

/** Returns all calls in one object or a list of them. Undefined if any is not a call. */
export function callsIn(value: JsonValue | undefined, tools: FormTools): WrittenCall[] | undefined {
  if (value === undefined) return undefined;
  const calls = (Array.isArray(value) ? value : [value]).map((entry) => callIn(entry, tools));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Returns the arguments of a call. Undefined if one is given twice: then a value contains the tags of another call. */
export function inputOf(
  entries: readonly (readonly [key: string, value: JsonValue])[],
): JsonObject | undefined {
  const input = Object.fromEntries(entries);
  return Object.keys(input).length === entries.length ? input : undefined;
}

/** Converts a parameter's text to the type that the tool's schema names. Text without such a type stays text. */
export function typedValue(text: string, key: string, schema: ToolSchema | undefined): JsonValue {
  const properties = schema?.parameters['properties'];
  const property = isObject(properties) ? properties[key] : undefined;
  const type = isObject(property) ? property['type'] : 'string';
  if (type === 'string' || type === undefined) return text;
  const value = parseJson(text.trim());
  return value === undefined ? text : value;
}
