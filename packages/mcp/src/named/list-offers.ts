import { sanitizeText } from '@longhaul/core/tool-output';
import { ListPromptsResultSchema, ListResourcesResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallOptions, ServerConnection } from '../connection/server-connection.ts';

/** A prompt that a person can name as `/SERVER:name`. */
export interface ServerPrompt {
  server: string;
  name: string;
  description: string;
  arguments: { name: string; isRequired: boolean }[];
}

/** A resource that a person can name as `@SERVER:uri`. */
export interface ServerResource {
  server: string;
  uri: string;
  name: string;
}

const MAX_LISTED = 200;
const MAX_PAGES = 20;
const MAX_LINE_CHARS = 200;

/** Lists the prompts of a server. Throws as `ServerConnection.request`. */
export async function listPrompts(
  connection: ServerConnection,
  options: CallOptions,
): Promise<ServerPrompt[]> {
  const found = await allPages(async (params) => {
    const { prompts, nextCursor } = await connection.request(
      (client, given) => client.request({ method: 'prompts/list', params }, ListPromptsResultSchema, given),
      options,
    );
    return { items: prompts, nextCursor };
  });
  return found.map(({ name, description = '', arguments: declared = [] }) => ({
    server: connection.name,
    name,
    description: oneLine(description),
    arguments: declared.map((each) => ({ name: each.name, isRequired: each.required === true })),
  }));
}

/** Lists the resources of a server, without its templates. Throws as `ServerConnection.request`. */
export async function listResources(
  connection: ServerConnection,
  options: CallOptions,
): Promise<ServerResource[]> {
  const found = await allPages(async (params) => {
    const { resources, nextCursor } = await connection.request(
      (client, given) =>
        client.request({ method: 'resources/list', params }, ListResourcesResultSchema, given),
      options,
    );
    return { items: resources, nextCursor };
  });
  return found.map(({ uri, name }) => ({ server: connection.name, uri, name: oneLine(name) }));
}

async function allPages<Item>(
  read: (params: { cursor?: string }) => Promise<{ items: Item[]; nextCursor?: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && all.length < MAX_LISTED; page += 1) {
    const { items, nextCursor } = await read(cursor === undefined ? {} : { cursor });
    all.push(...items);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return all.slice(0, MAX_LISTED);
}

function oneLine(text: string): string {
  return sanitizeText(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARS);
}
