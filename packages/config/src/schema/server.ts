import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, port, setting, text } from './values.ts';

const openai = z.strictObject({
  onDisconnect: setting(
    z.enum(['cancel', 'continue']),
    'What happens to a turn when its client disconnects.',
    D.server.openai.onDisconnect,
  ),
  ask: setting(
    z.enum(['deny', 'wait']),
    'deny: refuse a call that needs approval. wait: wait for an answer over the session API.',
    D.server.openai.ask,
  ),
  activity: setting(
    z.enum(['reasoning', 'comment', 'off']),
    'Where tool calls are shown to clients: in the reasoning, in comments of the stream, or nowhere.',
    D.server.openai.activity,
  ),
  workspace: setting(
    z.enum(['shared', 'own']),
    'shared: chats work in the first workspace. own: each new chat gets a folder below it.',
    D.server.openai.workspace,
  ),
});

export const server = z.strictObject({
  host: setting(text, 'Address to listen on.', D.server.host),
  port: setting(port, '0: any free port.', D.server.port),
  workspaces: setting(
    z.array(text),
    'Folders that sessions may work in, or below. Default: the folder in which the server was started.',
    D.server.workspaces,
  ),
  hosts: setting(z.array(text), 'Host names of the server, besides addresses and localhost.', D.server.hosts),
  origins: setting(
    z.array(
      z.string().regex(/^https?:\/\/[^/]+$/, { error: 'must be an origin, such as https://app.example.com' }),
    ),
    'Origins of other sites whose pages may use the server.',
    D.server.origins,
  ),
  maxBodyBytes: setting(count, 'Maximum bytes of a request body.', D.server.maxBodyBytes),
  maxUploadBytes: setting(
    count,
    'Maximum bytes of a message with media, and of an imported file.',
    D.server.maxUploadBytes,
  ),
  requestsPerSecond: setting(
    z.number().positive().nullable(),
    'Requests per second from one address; bursts can be five times as large. null: no limit.',
    D.server.requestsPerSecond,
  ),
  stopGraceMs: setting(
    z.int().min(0),
    'Milliseconds that running steps have to finish when the server stops.',
    D.server.stopGraceMs,
  ),
  openai: setting(openai, 'Agents as models of the OpenAI API.'),
});
