import type { Tool, ToolResult } from '@longhaul/core';
import { isObject, type JsonValue, LonghaulError, type ToolOutputContent } from '@longhaul/protocol';
import {
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallOptions, ServerConnection } from '../connection/server-connection.ts';
import { readResource } from './read-resource.ts';

export const RESOURCE_TOOL = 'mcp_resource';

const MAX_LISTED = 200;

interface ResourceInput {
  server: string | undefined;
  uri: string | undefined;
}

/** Creates the tool that lists and reads the resources of servers. */
export function createResourceTool(
  connections: readonly ServerConnection[],
  maxOutputChars: number,
): Tool<ResourceInput> {
  const names = connections.map(({ name }) => name);
  return {
    name: RESOURCE_TOOL,
    actsOutside: !connections.every(({ isSandboxed }) => isSandboxed),
    isReadOnly: true,
    maxOutputChars,
    schema: {
      name: RESOURCE_TOOL,
      description: `Read a resource of a server (${names.join(', ').slice(0, 200)}), or without uri, list them.`,
      parameters: {
        type: 'object',
        properties: { server: { type: 'string' }, uri: { type: 'string' } },
      },
    },
    parse: (value) => {
      const input = fieldsOf(value);
      const isUnknown = input.server !== undefined && !names.includes(input.server);
      if (isUnknown) return { ok: false, reason: `\`server\` must be one of ${names.join(', ')}.` };
      if (input.uri !== undefined && input.server === undefined && names.length > 1) {
        return {
          ok: false,
          reason: `\`server\` is missing. Its resources are at one of ${names.join(', ')}.`,
        };
      }
      return { ok: true, input };
    },
    async execute({ server, uri }, { signal }): Promise<ToolResult> {
      const meant = connections.filter(({ name }) => server === undefined || name === server);
      const [first] = meant;
      if (uri === undefined || first === undefined) return await listAll(meant, { signal });
      return await orFailure(`${first.name}: ${uri}`, () => readResource(first, uri, { signal }));
    },
  };
}

function fieldsOf(value: JsonValue): ResourceInput {
  const { server, uri } = isObject(value) ? value : {};
  const textOf = (field: JsonValue | undefined) =>
    typeof field === 'string' && field !== '' ? field : undefined;
  return { server: textOf(server), uri: textOf(uri) };
}

async function listAll(connections: readonly ServerConnection[], options: CallOptions): Promise<ToolResult> {
  return await orFailure('resources', async () => {
    const lines = (await Promise.all(connections.map((connection) => list(connection, options)))).flat();
    const shown = lines.slice(0, MAX_LISTED);
    const more = lines.length - shown.length;
    const rest = more > 0 ? [`(and ${more} more)`] : [];
    return [{ type: 'text', text: [...shown, ...rest].join('\n') || 'There are no resources.' }];
  });
}

async function list(connection: ServerConnection, options: CallOptions): Promise<string[]> {
  const { resources } = await connection.request(
    (client, given) => client.request({ method: 'resources/list' }, ListResourcesResultSchema, given),
    options,
  );
  const { resourceTemplates } = await connection.request(
    (client, given) =>
      client.request({ method: 'resources/templates/list' }, ListResourceTemplatesResultSchema, given),
    options,
  );
  const places = [
    ...resources.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
    ...resourceTemplates.map(({ uriTemplate: uri, name, mimeType }) => ({ uri, name, mimeType })),
  ];
  return places.map(({ uri, name, mimeType }) => {
    const facts = [name, mimeType].filter((fact) => fact !== undefined && fact !== '' && fact !== uri);
    return `${connection.name} ${uri}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  });
}

async function orFailure(title: string, work: () => Promise<ToolOutputContent[]>): Promise<ToolResult> {
  try {
    return { title, content: await work() };
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== 'mcp_unavailable') throw error;
    return { title, content: [{ type: 'text', text: error.message }], isError: true };
  }
}
