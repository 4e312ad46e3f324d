import { createToolFinder, type Tool, type ToolInput } from '@longhaul/core';
import { isObject, type JsonObject, type JsonValue, parseJson, suggestion } from '@longhaul/protocol';
import type { ServerTool } from '../tools/server-tool.ts';

export const USE_TOOL = 'use_tool';

/**
 * Creates the tool that calls a deferred tool. Its input stands for a call of that tool, so approvals judge that tool
 * and its arguments.
 */
export function createUseTool(tools: readonly ServerTool[], maxOutputChars: number): Tool<JsonObject> {
  const find = createToolFinder(tools);
  return {
    name: USE_TOOL,
    maxOutputChars,
    schema: {
      name: USE_TOOL,
      description: 'Call a tool of a server.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, input: { type: 'object' } },
        required: ['name', 'input'],
      },
    },
    parse: (given): ToolInput<JsonObject> => {
      const { name, input } = fieldsOf(given);
      const tool = name === undefined ? undefined : find(name);
      if (tool === undefined) return { ok: false, reason: unknownTool(name, tools) };
      if (!isObject(input))
        return { ok: false, reason: `\`input\` must be an object: the arguments of ${tool.name}.` };
      return { ok: true, input, standsFor: tool };
    },
    execute: async () => ({
      content: [{ type: 'text', text: 'The call stands for another.' }],
      isError: true,
    }),
  };
}

/** Models also write the arguments as JSON text, under other names, or beside the name. */
function fieldsOf(given: JsonValue): { name: string | undefined; input: JsonValue | undefined } {
  if (!isObject(given)) return { name: undefined, input: undefined };
  const {
    name: first,
    tool,
    tool_name: other,
    input,
    arguments: args,
    args: short,
    parameters,
    ...rest
  } = given;
  const name = first ?? tool ?? other;
  const value = input ?? args ?? short ?? parameters ?? rest;
  return {
    name: typeof name === 'string' ? name : undefined,
    input: typeof value === 'string' ? parseJson(value) : value,
  };
}

function unknownTool(name: string | undefined, tools: readonly ServerTool[]): string {
  if (name === undefined) return '`name` must be the name of a tool.';
  const names = tools.map((tool) => tool.name);
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${suggestion(name, names)} Find one with find_tools.`;
}
