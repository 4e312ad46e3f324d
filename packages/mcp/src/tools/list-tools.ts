import type { ToolSchema } from '@longhaul/core';
import { isObject, type JsonValue, matchesPattern } from '@longhaul/protocol';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallOptions, ServerConnection } from '../connection/server-connection.ts';

/** A tool as its server describes it. */
export interface ListedTool {
  name: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: ToolSchema['parameters'];
}

/** More tools of one server are left out, with a warning. */
const MAX_TOOLS = 2_000;
const MAX_PAGES = 200;
/** A description or a schema that is longer would fill the window by itself. */
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_SCHEMA_CHARS = 50_000;

export interface ToolList {
  tools: ListedTool[];
  warnings: string[];
}

/** Lists the tools of a server that its settings allow. Throws as `ServerConnection.request`. */
export async function listTools(
  connection: ServerConnection,
  allowed: readonly string[] = ['*'],
  options: CallOptions = {},
): Promise<ToolList> {
  const found = new Map<string, ListedTool>();
  const warnings: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await connection.request(async (client, given) => {
      // A change that is reported from now on may not be in the list.
      if (page === 0) connection.forgetToolChange();
      // A server without tools, but with resources or prompts, does not know the request.
      if (client.getServerCapabilities()?.tools === undefined) return { tools: [], nextCursor: undefined };
      return await client.request({ method: 'tools/list', params }, ListToolsResultSchema, given);
    }, options);
    for (const { name, description = '', inputSchema } of result.tools) {
      if (found.has(name) || !allowed.some((pattern) => matchesPattern(pattern, name))) continue;
      const parameters = parametersOf(inputSchema);
      if (parameters === undefined)
        warnings.push(`The tool ${name} of ${connection.name} is left out: its schema is too long.`);
      else
        found.set(name, {
          name,
          description: description.trim().slice(0, MAX_DESCRIPTION_CHARS),
          parameters,
        });
    }
    cursor = result.nextCursor;
    if (cursor === undefined || found.size > MAX_TOOLS) break;
  }
  const tools = [...found.values()];
  if (cursor !== undefined || tools.length > MAX_TOOLS) {
    warnings.push(
      `Only the first ${Math.min(tools.length, MAX_TOOLS)} tools of ${connection.name} are used.`,
    );
  }
  return { tools: tools.slice(0, MAX_TOOLS), warnings };
}

/** Providers require an object. They refuse, or ignore, the name of the dialect. */
function parametersOf(schema: unknown): ToolSchema['parameters'] | undefined {
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_CHARS) return undefined;
  const copy: JsonValue = JSON.parse(text);
  if (!isObject(copy)) return { type: 'object', properties: {} };
  const { $schema: _dialect, properties, ...rest } = copy;
  return { ...rest, type: 'object', properties: isObject(properties) ? properties : {} };
}
