import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, port, setting, text } from './values.ts';

const openai = z.strictObject({
  onDisconnect: setting(
    z.enum(['cancel', 'continue']),
    'What happens to a turn whose client leaves.',
    D.server.openai.onDisconnect,
  ),
  ask: setting(
    z.enum(['deny', 'wait']),
    'A call that needs approval is refused, or waits for an answer over the API of sessions.',
    D.server.openai.ask,
  ),
  activity: setting(
    z.enum(['reasoning', 'comment', 'off']),
    'Where clients see what tools do: in the reasoning, in comments of the stream, or not.',
    D.server.openai.activity,
  ),
  workspace: setting(
    z.enum(['shared', 'own']),
    'Chats work in the first workspace, or each in a folder of its own below it.',
    D.server.openai.workspace,
  ),
});

export const server = z.strictObject({
  host: setting(text, 'Address to listen on.', D.server.host),
  port: setting(port, '0: any free one.', D.server.port),
  workspaces: setting(
    z.array(text),
    'Folders that sessions may work in, or inside of. Default: the one it was started in.',
    D.server.workspaces,
  ),
  hosts: setting(
    z.array(text),
    'Names by which it may be called, beside addresses and localhost.',
    D.server.hosts,
  ),
  origins: setting(
    z.array(z.string().regex(/^https?:\/\/[^/]+$/, { error: 'must be such as https://app.example.com' })),
    'Origins of other sites whose pages may use it.',
    D.server.origins,
  ),
  maxBodyBytes: setting(count, 'Of a request.', D.server.maxBodyBytes),
  maxUploadBytes: setting(
    count,
    'Of a message with media, and of an imported file.',
    D.server.maxUploadBytes,
  ),
  requestsPerSecond: setting(
    z.number().positive().nullable(),
    'Of one address; five times as many at once. null: no limit.',
    D.server.requestsPerSecond,
  ),
  stopGraceMs: setting(z.int().min(0), 'For steps to finish when it stops.', D.server.stopGraceMs),
  openai: setting(openai, 'Agents as models of OpenAI’s API.'),
});
