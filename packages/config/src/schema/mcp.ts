import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import {
  count,
  headerName,
  headerValue,
  name,
  port,
  setting,
  text,
  urlWithoutPassword,
  variableName,
} from './values.ts';

const oauth = z.strictObject({
  clientId: setting(
    text,
    'Id of a client that you have registered at the authorization server. Default: Longhaul registers itself.',
  ),
  clientSecretEnv: setting(
    variableName,
    'Name of the environment variable that has the secret of the client. Default: it has none.',
  ),
  scope: setting(text, 'What the login is for, separated by blanks. Default: what the server names.'),
  callbackPort: setting(
    port,
    'Port of http://127.0.0.1:PORT/callback, to which the browser returns. Default: a free port.',
  ),
});

const server = z.strictObject({
  command: setting(text, 'Program of the server, which is started for each session, such as npx.'),
  args: setting(z.array(z.string()), 'Arguments of the program.'),
  env: setting(
    z.record(text, z.string()),
    'Environment variables of the program, in addition to PATH, HOME and the like. Use $NAME to read a value from the environment.',
  ),
  cwd: setting(text, 'Folder of the program, relative to this file. Default: the workspace of the session.'),
  sandbox: setting(
    z.boolean(),
    'Whether the program runs in a sandbox, as commands do. Default: false. It then runs on this machine, outside of the sandbox.',
  ),
  url: setting(urlWithoutPassword, 'Address of a server that is reached over HTTP.'),
  headers: setting(
    z.record(headerName, headerValue),
    'Headers of each request to the server. Use $NAME to read a value from the environment.',
  ),
  oauth: setting(oauth, 'How longhaul mcp login logs you in.'),
  enabled: setting(z.boolean(), 'Whether the server is used. Default: true.'),
  tools: setting(
    z.array(text),
    'Names of the tools of the server that are used. * matches any text. Default: all tools.',
  ),
  timeoutMs: setting(
    count,
    'Milliseconds that an answer may take. Each report of progress restarts it. Default: 60000.',
  ),
  sampling: setting(
    z.boolean(),
    'Whether the server may use the model of the session during a call (sampling). Default: false.',
  ),
});

export const mcp = z.strictObject({
  servers: setting(z.record(name, server), 'Servers, by name. A tool of a server is called NAME_TOOL.'),
  deferOver: setting(
    z.number().min(0).max(1),
    'Share of the usable window that the schemas of all servers may take. Above it, the model gets a list of names, and finds and calls these tools with find_tools and use_tool.',
    D.mcp.deferOver,
  ),
});
