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

/** One form in which models write calls as text. */
export interface TextCallForm {
  /** The texts with which calls in this form can begin. */
  readonly openers: readonly string[];
  /** Reads the calls at the beginning of the text. Undefined if it does not begin with complete calls in this form. */
  read(text: string, tools: FormTools): WrittenCalls | undefined;
}

/** Returns the call in `{name, arguments}`, in the spellings that models use. */
function callIn(value: JsonValue, { parse }: FormTools): WrittenCall | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value['function'])) return callIn(value['function'], { parse, schemaOf: () => undefined });
  const name = value['name'] ?? value['tool_name'] ?? value['tool'] ?? value['function'];
  const given = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'] ?? {};
  const input = typeof given === 'string' ? parse(given) : given;
  return typeof name === 'string' && isObject(input) ? { name, input } : undefined;
}

/** Returns all calls in one object or a list of them. Undefined if any is no call. */
export function callsIn(value: JsonValue | undefined, tools: FormTools): WrittenCall[] | undefined {
  if (value === undefined) return undefined;
  const calls = (Array.isArray(value) ? value : [value]).map((entry) => callIn(entry, tools));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
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
