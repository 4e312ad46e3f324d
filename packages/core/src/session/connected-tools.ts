import { isObject, type JsonObject, type JsonValue, type Session } from '@longhaul/protocol';
import type { BlobStore, ConnectedTools, Store, Tool, ToolSchema } from '../ports/index.ts';
import type { SessionAgent } from '../prompt/agent-prompt.ts';
import { getMetadataBlob, putMetadataBlob } from './metadata-blob.ts';

/** Key of the reference in the session's metadata. A fork has it too. */
const KEY = 'connectedTools';

export interface ConnectedPlace {
  session: Pick<Session, 'id' | 'metadata'>;
  store: Store;
  blobs: BlobStore;
}

/**
 * Stores the schemas and the text of a run's connected tools, so that requests of the idle session are the same. If
 * blobs cannot be written, nothing is stored.
 */
export async function storeConnectedTools(
  { tools, systemText }: Pick<ConnectedTools, 'tools' | 'systemText'>,
  { session, store, blobs }: ConnectedPlace,
): Promise<void> {
  const before = session.metadata?.[KEY];
  if (tools.length === 0 && before === undefined) return;
  const shown = tools.filter(({ isDeferred }) => isDeferred !== true);
  const schemas = shown.map(({ schema }) => schema);
  const sources: JsonObject = Object.fromEntries(
    shown.flatMap(({ name, source }) => (source === undefined ? [] : [[name, source]])),
  );
  const reference = await putMetadataBlob({ schemas, sources, systemText }, blobs);
  if (reference === undefined || reference === before) return;
  await store.updateSession(session.id, { metadata: { [KEY]: reference } });
}

/** Returns an agent with the tools that were connected in the session's last run. They cannot be called. */
export async function withConnectedTools<Agent extends SessionAgent>(
  agent: Agent,
  session: Pick<Session, 'metadata'>,
  blobs: BlobStore,
): Promise<Agent> {
  // If the blob is lost, requests are measured without these tools.
  const value = await getMetadataBlob(session, KEY, blobs);
  if (!isObject(value)) return agent;
  const { schemas, systemText } = value;
  const sources = isObject(value['sources']) ? value['sources'] : {};
  const tools = (Array.isArray(schemas) ? schemas : [])
    .filter(isSchema)
    .map((schema) => idleTool(schema, sources[schema.name]));
  return {
    ...agent,
    tools: [...agent.tools, ...tools],
    toolsText: typeof systemText === 'string' ? systemText : undefined,
  };
}

function isSchema(value: JsonValue): value is JsonValue & ToolSchema {
  if (!isObject(value)) return false;
  const { name, description, parameters } = value;
  return typeof name === 'string' && typeof description === 'string' && isObject(parameters);
}

function idleTool(schema: ToolSchema, source: JsonValue | undefined): Tool {
  const reason = 'This tool is connected only while the session runs.';
  return {
    name: schema.name,
    schema,
    ...(typeof source === 'string' && { source }),
    parse: () => ({ ok: false, reason }),
    execute: async () => ({ content: [{ type: 'text', text: reason }], isError: true }),
  };
}
