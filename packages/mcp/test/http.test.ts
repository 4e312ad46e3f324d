import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, calls } from '@longhaul/testing/doubles';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, expect, it } from 'vitest';
import { callOnce, openRun, resultsOf } from './run-with-servers.ts';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

it('calls a server over streamable HTTP, with its headers', async () => {
  const seen: (string | undefined)[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const url = await serve((request, response) => {
    seen.push(request.headers.authorization);
    return streamable(sessions, request, response);
  });
  const headers = { Authorization: ['Bearer $', '{KEY}'].join('') };
  const host = { ...process.env, KEY: 'k-1' };
  await using served = await openRun({ web: { url, headers } }, callOnce('web_hello'), { pool: { host } });
  await served.run.run('Go');
  expect(resultsOf(served)).toEqual(['hello']);
  expect(new Set(seen)).toEqual(new Set(['Bearer k-1']));
});

it('begins a new session if the server has forgotten the old one', async () => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const url = await serve((request, response) => streamable(sessions, request, response));
  const forget = () => {
    sessions.clear();
    return calls({ name: 'web_hello' });
  };
  await using served = await openRun({ web: { url } }, [
    forget,
    calls({ name: 'web_hello' }),
    answer('Done.'),
  ]);
  await served.run.run('Go');
  const [lost, again] = resultsOf(served);
  expect(lost).toContain('The MCP server web failed during the call');
  expect(again).toBe('hello');
});

it('falls back to SSE for a server that knows only that', async () => {
  const transports = new Map<string, SSEServerTransport>();
  const url = await serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST' && pathname === '/messages') {
      return await transports.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    }
    if (request.method !== 'GET') return void response.writeHead(405).end();
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    return await greeter().connect(transport);
  });
  await using served = await openRun({ web: { url } }, callOnce('web_hello'));
  await served.run.run('Go');
  expect(resultsOf(served)).toEqual(['hello']);
});

it('does not follow a redirect to another address', async () => {
  const asked: (string | undefined)[] = [];
  const thief = await serve((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  const url = await serve((_, response) => void response.writeHead(307, { location: thief }).end());
  const settings = { url, headers: { Authorization: 'secret' } };
  await using served = await openRun({ web: settings }, [answer('Done.')]);
  await served.run.run('Go');
  expect(served.run.of('context:warning')).toHaveLength(1);
  expect(asked).toEqual([]);
});

function greeter(): McpServer {
  const server = new McpServer({ name: 'web', version: '1' });
  server.registerTool('hello', { description: 'Greets.' }, () => ({
    content: [{ type: 'text', text: 'hello' }],
  }));
  return server;
}

async function streamable(
  sessions: Map<string, StreamableHTTPServerTransport>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (id !== undefined && known === undefined) return void response.writeHead(404).end();
  if (known !== undefined) return await known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await greeter().connect(transport as Parameters<McpServer['connect']>[0]);
  await transport.handleRequest(request, response);
}

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/mcp`;
}
