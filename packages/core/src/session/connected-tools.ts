import {
  blobReference,
  isObject,
  type JsonValue,
  parseBlobReference,
  parseJson,
  type Session,
  toLonghaulError,
} from '@longhaul/protocol';
import type { BlobStore, ConnectedTools, Store, Tool, ToolSchema } from '../ports/index.ts';
import type { SessionAgent } from '../prompt/agent-prompt.ts';

/** Key of the reference in the session's metadata. A fork has it too. */
const KEY = 'connectedTools';

export interface ConnectedPlace {
  session: Pick<Session, 'id' | 'metadata'>;
  store: Store;
  blobs: BlobStore;
}

/**
 * Stores what the model is told of the connected tools of a run, so that requests of the idle session are the same. If
 * blobs cannot be written, it is not stored.
 */
export async function storeConnectedTools(
  { tools, systemText }: Pick<ConnectedTools, 'tools' | 'systemText'>,
  { session, store, blobs }: ConnectedPlace,
): Promise<void> {
  const before = session.metadata?.[KEY];
  if (tools.length === 0 && before === undefined) return;
  const schemas = tools.filter(({ isDeferred }) => isDeferred !== true).map(({ schema }) => schema);
  try {
    const { id } = await blobs.put(JSON.stringify({ schemas, systemText }));
    if (before !== blobReference(id))
      await store.updateSession(session.id, { metadata: { [KEY]: blobReference(id) } });
  } catch (error) {
    const { code } = toLonghaulError(error);
    if (code !== 'store_full' && code !== 'store_readonly') throw error;
  }
}

/** Returns an agent with the tools that were connected in the session's last run. They cannot be called. */
export async function withConnectedTools<Agent extends SessionAgent>(
  agent: Agent,
  { metadata }: Pick<Session, 'metadata'>,
  blobs: BlobStore,
): Promise<Agent> {
  const reference = metadata?.[KEY];
  const id = typeof reference === 'string' ? parseBlobReference(reference) : undefined;
  if (id === undefined) return agent;
  const bytes = await blobs.get(id).catch((error: unknown) => {
    // The requests are then measured without these tools.
    if (toLonghaulError(error).code === 'blob_not_found') return undefined;
    throw error;
  });
  const value = bytes === undefined ? undefined : parseJson(Buffer.from(bytes).toString('utf8'));
  if (!isObject(value)) return agent;
  const { schemas, systemText } = value;
  const tools = (Array.isArray(schemas) ? schemas : []).filter(isSchema).map(idleTool);
  return {
    ...agent,
    tools: [...agent.tools, ...tools],
    toolsText: typeof systemText === 'string' ? systemText : undefined,
  };
}

/** A client can set the metadata of its session, so the reference may name any blob. */
function isSchema(value: JsonValue): value is JsonValue & ToolSchema {
  if (!isObject(value)) return false;
  const { name, description, parameters } = value;
  return typeof name === 'string' && typeof description === 'string' && isObject(parameters);
}

function idleTool(schema: ToolSchema): Tool {
  const reason = 'This tool is connected only while the session runs.';
  return {
    name: schema.name,
    schema,
    parse: () => ({ ok: false, reason }),
    execute: async () => ({ content: [{ type: 'text', text: reason }], isError: true }),
  };
}
