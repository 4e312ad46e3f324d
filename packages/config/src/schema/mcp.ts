import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { count, headerName, headerValue, name, setting, text, urlWithoutPassword } from './values.ts';

const server = z.strictObject({
  command: setting(
    text,
    'Program of the server, which is started for each session, such as npx. It runs outside of the sandbox.',
  ),
  args: setting(z.array(z.string()), 'Arguments of the program.'),
  env: setting(
    z.record(text, z.string()),
    'Environment variables of the program, in addition to PATH, HOME and the like. Use $NAME to read a value from the environment.',
  ),
  cwd: setting(text, 'Folder of the program, relative to this file. Default: the workspace of the session.'),
  url: setting(urlWithoutPassword, 'Address of a server that is reached over HTTP.'),
  headers: setting(
    z.record(headerName, headerValue),
    'Headers of each request to the server. Use $NAME to read a value from the environment.',
  ),
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
