import { isObject, isToolName, type JsonObject, type JsonValue } from '@longhaul/protocol';
import type { Tool, ToolContext, ToolInput, ToolResult } from './tool.ts';

/** A tool of a program that embeds the agent. */
export interface ToolDefinition<Input>
  extends Pick<Tool, 'runsAlone' | 'isReadOnly' | 'isProtected' | 'maxOutputChars'> {
  /** As the model calls it: 1 to 64 letters, digits, `_` and `-`, since the APIs of models accept no others. */
  name: string;
  /** What the tool does and when to use it, for the model. */
  description: string;
  /** JSON Schema of the arguments, an object, also what `z.toJSONSchema` of zod returns. Default: no arguments. */
  parameters?: { readonly [key: string]: unknown };
  /**
   * Checks the model's arguments. It throws an error whose message the model can act on. Pass the `parse` of a zod
   * schema. Default: the arguments must be an object that has the fields that `parameters` requires.
   */
  parse?: (input: JsonValue) => Input;
  /**
   * Returns the text for the model, a whole result, or nothing. An exception becomes a result that the model sees as an
   * error.
   */
  execute(input: Input, context: ToolContext): Promise<Returned> | Returned;
}

/** A function without a result is a tool without an output. */
type Returned = string | ToolResult | undefined | void;

/**
 * Creates a tool from a function.
 *
 * @throws {TypeError} for a name that no API accepts, and for parameters that are not an object.
 * @example
 * const clock = defineTool({ name: 'clock', description: 'Returns the time.', execute: () => new Date().toISOString() });
 */
export function defineTool<Input = JsonObject>(definition: ToolDefinition<Input>): Tool<Input> {
  const { name, description, parameters = { type: 'object', properties: {} }, ...traits } = definition;
  requireToolName(name);
  const { type } = { type: 'object', ...parameters };
  if (type !== 'object')
    throw new TypeError(`The parameters of the tool ${name} have the type ${type}. They must be an object.`);
  return {
    ...traits,
    name,
    schema: { name, description, parameters: { ...(parameters as JsonObject), type } },
    parse: (input) => parsed(definition, input),
    async execute(input, context) {
      return resultOf(name, await definition.execute(input, context));
    },
  };
}

/** @throws {TypeError} if the APIs of models refuse it: the first run would fail at its first request. */
export function requireToolName(name: string): void {
  if (typeof name === 'string' && isToolName(name)) return;
  const shown = JSON.stringify(name) ?? 'undefined';
  throw new TypeError(`A tool cannot be named ${shown}. Use 1 to 64 letters (a to z), digits, _ and -.`);
}

/** Programs without types return anything. */
function resultOf(name: string, returned: unknown): ToolResult {
  if (isResult(returned)) return returned;
  const text = returned ?? '';
  if (typeof text === 'string') return { content: [{ type: 'text', text }] };
  const what = typeof text === 'object' ? 'an object without content' : `a ${typeof text}`;
  throw new TypeError(`The tool ${name} ran, but returned ${what}. A tool must return a text or a result.`);
}

function isResult(returned: unknown): returned is ToolResult {
  return (
    typeof returned === 'object' &&
    returned !== null &&
    'content' in returned &&
    Array.isArray(returned.content)
  );
}

function parsed<Input>(
  { parse, parameters }: Pick<ToolDefinition<Input>, 'parse' | 'parameters'>,
  input: JsonValue,
): ToolInput<Input> {
  if (parse === undefined) return checked(input, parameters?.['required']);
  try {
    return { ok: true, input: parse(input) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Without `parse`, a tool gets what the model wrote, and `Input` is only the author's name for it. */
function checked<Input>(input: JsonValue, required: unknown): ToolInput<Input> {
  if (!isObject(input)) return { ok: false, reason: 'the arguments must be an object' };
  const names = Array.isArray(required) ? required.map(String) : [];
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length > 0) return { ok: false, reason: `these arguments are missing: ${missing.join(', ')}` };
  return { ok: true, input: input as Input };
}
