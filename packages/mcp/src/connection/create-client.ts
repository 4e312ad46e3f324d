import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answerQuestion } from '../questions/answer-question.ts';
import { askModel } from '../questions/ask-model.ts';
import type { RunningCalls } from '../questions/running-calls.ts';

export interface ClientOptions {
  /** The name of the server. */
  server: string;
  version: string;
  /** Returns the path of the workspace, as the server sees it. */
  root: () => string;
  /** Whether the server may use the model. */
  allowsSampling: boolean;
  /** The calls during which the server can ask something. */
  calls: RunningCalls;
  onToolChange: () => void;
}

/** Creates the client that speaks with a server, and answers the requests of the server. */
export function createClient(options: ClientOptions): Client {
  const { server, version, root, allowsSampling, calls, onToolChange } = options;
  const client = new Client(
    { name: 'longhaul', version },
    { capabilities: { roots: {}, elicitation: { form: {} }, ...(allowsSampling && { sampling: {} }) } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(root()).href, name: 'workspace' }],
  }));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerQuestion(server, params, calls));
  if (allowsSampling)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
      askModel(server, params, { calls, signal }),
    );
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolChange);
  client.fallbackRequestHandler = async ({ method }) => {
    throw new McpError(ErrorCode.MethodNotFound, refusalOf(method, server));
  };
  // Faults of a connection that matter end it, or are the error of a request.
  client.onerror = () => {};
  return client;
}

function refusalOf(method: string, server: string): string {
  if (method !== 'sampling/createMessage') return `Longhaul does not answer ${method}.`;
  return `Longhaul does not call its model for this server. The setting mcp.servers.${server}.sampling would allow it.`;
}
