import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, port, setting, text } from './values.ts';

const openai = z.strictObject({
  onDisconnect: setting(
    z.enum(['auto', 'cancel', 'continue']),
    'What happens to a running turn when its client disconnects. auto: cancel the turn if its answer is streamed, because clients stop an answer by disconnecting, and otherwise continue it.',
    D.server.openai.onDisconnect,
  ),
  ask: setting(
    z.enum(['deny', 'wait']),
    'What to do with a call that needs approval. deny: refuse it. wait: wait for an answer over the session API.',
    D.server.openai.ask,
  ),
  activity: setting(
    z.enum(['reasoning', 'comment', 'off']),
    'Where clients see tool calls: in the reasoning, in comments of the stream, or nowhere (off).',
    D.server.openai.activity,
  ),
  workspace: setting(
    z.enum(['shared', 'own']),
    'Where chats work. shared: in the first workspace. own: each new chat gets its own folder below the first workspace.',
    D.server.openai.workspace,
  ),
});

export const server = z.strictObject({
  host: setting(text, 'Address to listen on.', D.server.host),
  port: setting(port, 'Port to listen on. 0: any free port.', D.server.port),
  workspaces: setting(
    z.array(text),
    'Folders in which sessions can work, also in their subfolders. Default: the folder in which the server was started.',
    D.server.workspaces,
  ),
  hosts: setting(
    z.array(text),
    'Names of the server that clients can use in the Host header, besides localhost and addresses.',
    D.server.hosts,
  ),
  origins: setting(
    z.array(
      z.string().regex(/^https?:\/\/[^/]+$/, { error: 'must be an origin, such as https://app.example.com' }),
    ),
    'Origins of the sites whose web pages can use the server.',
    D.server.origins,
  ),
  trustProxy: setting(
    z.array(
      z.string().regex(/^[\da-fA-F.:]+(?:\/\d{1,3})?$/, {
        error: 'must be an address, such as 127.0.0.1, or a range, such as 10.0.0.0/8',
      }),
    ),
    'Addresses of proxies, or ranges such as 10.0.0.0/8. From them, the address of the client and the host are those in X-Forwarded-For and X-Forwarded-Host.',
    D.server.trustProxy,
  ),
  maxBodyBytes: setting(count, 'Maximum bytes of a request body.', D.server.maxBodyBytes),
  maxUploadBytes: setting(
    count,
    'Maximum bytes of a message with images or files, and of an imported session.',
    D.server.maxUploadBytes,
  ),
  requestsPerSecond: setting(
    z.number().positive().nullable(),
    'Maximum number of requests per second with one token. Short bursts can be five times as large. Requests without a valid token get a twentieth of this, for each address. null: no limit.',
    D.server.requestsPerSecond,
  ),
  maxRuns: setting(
    z
      .union([count, z.literal('auto')], { error: 'must be a whole number of at least 1, auto, or null' })
      .nullable(),
    'Maximum number of runs at the same time, without those of child sessions. Other sessions wait. Places go to the access tokens in turn. auto: as many as fit into the memory with sandbox.memoryMb each, and at most four for each processor. null: no limit.',
    D.server.maxRuns,
  ),
  stopGraceMs: setting(
    z.int().min(0),
    'When the server stops, running steps have this many milliseconds to finish.',
    D.server.stopGraceMs,
  ),
  openai: setting(openai, 'Agents as models of the OpenAI API.'),
});
