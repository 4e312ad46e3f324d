import type { ToolOutputContent } from '@longhaul/protocol';
import { ReadResourceResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallOptions, ServerConnection } from '../connection/server-connection.ts';
import { toResourceContent } from './tool-content.ts';

/** Reads a resource of a server. Throws as `ServerConnection.request`. */
export async function readResource(
  connection: ServerConnection,
  uri: string,
  options: CallOptions,
): Promise<ToolOutputContent[]> {
  const { contents } = await connection.request(
    (client, given) =>
      client.request({ method: 'resources/read', params: { uri } }, ReadResourceResultSchema, given),
    options,
  );
  return contents.flatMap(toResourceContent);
}
