import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import type { ToolSchema } from './model-driver.ts';
import type { Tool, ToolContext, ToolInput, ToolResult } from './tool.ts';

/** A tool of a program that embeds the agent. */
export interface ToolDefinition<Input>
  extends Pick<Tool, 'runsAlone' | 'isReadOnly' | 'isProtected' | 'maxOutputChars'> {
  /** As the model calls it. */
  name: string;
  /** What the tool does and when to use it, for the model. */
  description: string;
  /** JSON Schema of the arguments, an object. Default: no arguments. */
  parameters?: ToolSchema['parameters'];
  /**
   * Checks the model's arguments. It throws an error whose message the model can act on. Pass the `parse` of a zod
   * schema. Default: the arguments must be an object that has the fields that `parameters` requires.
   */
  parse?: (input: JsonValue) => Input;
  /** Returns the text for the model, or a whole result. An exception becomes a result that the model sees as an error. */
  execute(input: Input, context: ToolContext): Promise<string | ToolResult> | string | ToolResult;
}

/**
 * Creates a tool from a function.
 *
 * @example
 * const clock = defineTool({ name: 'clock', description: 'Returns the time.', execute: () => new Date().toISOString() });
 */
export function defineTool<Input = JsonObject>(definition: ToolDefinition<Input>): Tool<Input> {
  const { name, description, parameters = { type: 'object', properties: {} }, ...traits } = definition;
  return {
    ...traits,
    name,
    schema: { name, description, parameters },
    parse: (input) => parsed(definition, input),
    async execute(input, context) {
      const result = await definition.execute(input, context);
      return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result;
    },
  };
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
function checked<Input>(input: JsonValue, required: JsonValue | undefined): ToolInput<Input> {
  if (!isObject(input)) return { ok: false, reason: 'the arguments must be an object' };
  const names = Array.isArray(required) ? required.map(String) : [];
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length > 0) return { ok: false, reason: `these arguments are missing: ${missing.join(', ')}` };
  return { ok: true, input: input as Input };
}
