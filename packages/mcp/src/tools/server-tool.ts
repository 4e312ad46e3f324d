import type { Tool, ToolResult } from '@longhaul/core';
import { isObject, type JsonObject, LonghaulError } from '@longhaul/protocol';
import { CallToolResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConnection } from '../connection/server-connection.ts';
import type { ListedTool } from './list-tools.ts';
import { structuredMetadata, toToolContent } from './tool-content.ts';

/** A tool of a server, as a tool of the agent. */
export interface ServerTool extends Tool<JsonObject> {
  /** The server's name. */
  readonly source: string;
}

/** Creates the tool by which the model calls a tool of a server. The server checks the arguments. */
export function createServerTool(
  name: string,
  {
    listed,
    connection,
    maxOutputChars,
  }: { listed: ListedTool; connection: ServerConnection; maxOutputChars: number },
): ServerTool {
  const { description, parameters } = listed;
  return {
    name,
    source: connection.name,
    actsOutside: !connection.isSandboxed,
    maxOutputChars,
    schema: { name, description, parameters },
    parse: (input) =>
      isObject(input) ? { ok: true, input } : { ok: false, reason: 'The arguments must be an object.' },
    async execute(input, { signal, progress, ask, askModel }): Promise<ToolResult> {
      const title = `${connection.name}: ${listed.name}`;
      const metadata = { server: connection.name, tool: listed.name };
      try {
        const result = await connection.request(
          (client, options) =>
            client.request(
              { method: 'tools/call', params: { name: listed.name, arguments: input } },
              CallToolResultSchema,
              options,
            ),
          { signal, asking: { ask, askModel }, onprogress: (update) => progress(progressOf(update)) },
        );
        return {
          title,
          content: toToolContent(result),
          isError: result.isError === true,
          metadata: { ...metadata, ...structuredMetadata(result) },
        };
      } catch (error) {
        if (!(error instanceof LonghaulError) || error.code !== 'mcp_unavailable') throw error;
        return { title, content: [{ type: 'text', text: error.message }], isError: true, metadata };
      }
    },
  };
}

const TITLE_CHARS = 200;

function progressOf({ progress, total, message }: Progress): { title: string; metadata: JsonObject } {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  return {
    title: (message ?? share).slice(0, TITLE_CHARS),
    metadata: { progress, ...(total !== undefined && { total }) },
  };
}
