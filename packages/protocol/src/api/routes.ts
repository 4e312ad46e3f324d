import type { z } from 'zod';
import type { ADDRESSES } from './addresses.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { chatRoutes } from './routes/chat.ts';
import { contextRoutes } from './routes/context.ts';
import { directoryRoutes } from './routes/directory.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { messageRoutes } from './routes/messages.ts';
import { openaiRoutes } from './routes/openai.ts';
import { pageRoutes } from './routes/page.ts';
import { queueRoutes } from './routes/queue.ts';
import { replayRoutes } from './routes/replay.ts';
import { serviceRoutes } from './routes/service.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { skillRoutes } from './routes/skills.ts';
import { transferRoutes } from './routes/transfer.ts';
import { trustRoutes } from './routes/trust.ts';
import { usageRoutes } from './routes/usage.ts';

/** Every operation of the HTTP API, by name. */
export const API_ROUTES = {
  ...sessionRoutes,
  ...messageRoutes,
  ...queueRoutes,
  ...contextRoutes,
  ...fileRoutes,
  ...eventRoutes,
  ...approvalRoutes,
  ...chatRoutes,
  ...openaiRoutes,
  ...transferRoutes,
  ...trustRoutes,
  ...skillRoutes,
  ...mcpRoutes,
  ...replayRoutes,
  ...directoryRoutes,
  ...pageRoutes,
  ...usageRoutes,
  ...serviceRoutes,
} as const satisfies typeof ADDRESSES;

export type ApiRoutes = typeof API_ROUTES;
export type OperationName = keyof ApiRoutes;

type Parsed<Name extends OperationName, Key extends string> =
  ApiRoutes[Name] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;
type Unparsed<Name extends OperationName, Key extends string> =
  ApiRoutes[Name] extends Record<Key, infer Schema extends z.ZodType> ? z.input<Schema> : undefined;

/** The parts of a request after validation, as the server's handlers get them. */
export type ParamsOf<Name extends OperationName> = Parsed<Name, 'params'>;
export type QueryOf<Name extends OperationName> = Parsed<Name, 'query'>;
export type HeadersOf<Name extends OperationName> = Parsed<Name, 'headers'>;
export type BodyOf<Name extends OperationName> = Parsed<Name, 'body'>;
export type ResponseOf<Name extends OperationName> = Parsed<Name, 'response'>;

/** The parts of a request before validation, as a client sends them. */
export type QueryInputOf<Name extends OperationName> = Unparsed<Name, 'query'>;
export type BodyInputOf<Name extends OperationName> = Unparsed<Name, 'body'>;
