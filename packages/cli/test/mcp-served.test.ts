import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type LonghaulClient } from '@longhaul/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateLines } from '../src/mcp/server-lines.ts';
import { Bench, type Running } from './harness.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const everything = join(modules, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const lively = fileURLToPath(new URL('../../mcp/test/lively-server.ts', import.meta.url));
const SERVERS = {
  every: { command: process.execPath, args: [everything], env: { TOKEN: 'hidden-1' } },
  lively: { command: process.execPath, args: [lively] },
  gone: { command: 'no-such-program' },
  unused: { command: 'x', enabled: false },
};

let bench: Bench;
let running: Running;
let client: LonghaulClient;

beforeEach(async () => {
  bench = await Bench.open();
  const { server } = await bench.serve({ script: () => 'Done.' });
  await writeFile(
    bench.userFile,
    JSON.stringify({
      model: 'mine/scripted',
      providers: {
        mine: {
          kind: 'openai-compatible',
          baseUrl: server.url,
          apiKey: 'k',
          models: { scripted: { window: 64_000 } },
        },
      },
      sandbox: { driver: 'local' },
      mcp: { servers: SERVERS, deferOver: 1 },
    }),
  );
  running = bench.start(['serve', '--port', '0', '--json']);
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  client = createClient({
    baseUrl: url,
    token: await readFile(tokenFile, 'utf8'),
    schemas: () => import('@longhaul/protocol/api'),
  });
});
afterEach(async () => {
  running.child.kill('SIGTERM');
  await running.ended;
  await bench[Symbol.asyncDispose]();
});

async function runOnce(text = 'Go'): Promise<string> {
  const { id } = await client.sessions.create();
  await client.sendMessage(id, text);
  for await (const event of client.events(id, { after: 0 })) if (event.type === 'run:finished') break;
  return id;
}

describe('GET /api/mcp', () => {
  it('lists servers that no session has used, without the values of variables', async () => {
    const { servers } = await client.mcp.list();
    expect(servers.map(({ name, state, tools }) => ({ name, state, tools }))).toEqual([
      { name: 'every', state: 'idle', tools: [] },
      { name: 'lively', state: 'idle', tools: [] },
      { name: 'gone', state: 'idle', tools: [] },
      { name: 'unused', state: 'off', tools: [] },
    ]);
    expect(JSON.stringify(servers)).not.toContain('hidden-1');
  });

  it('shows the state, the tools and the error of the servers of a session', async () => {
    const sessionId = await runOnce();
    const { servers } = await client.mcp.list({ sessionId });
    const [every, , gone] = servers;
    expect(every).toMatchObject({
      state: 'ready',
      tools: expect.arrayContaining(['echo']),
      isDeferred: false,
    });
    expect(gone).toMatchObject({ state: 'failed', error: expect.stringContaining('no-such-program') });
    expect(await client.mcp.list()).toEqual({ servers });
    const other = await client.sessions.create();
    expect((await client.mcp.list({ sessionId: other.id })).servers[0]).toMatchObject({ state: 'idle' });
    await expect(client.mcp.list({ sessionId: 'nowhere' })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    // What the server reports is in every request.
    const context = await client.context(sessionId);
    const tokens = every?.schemaTokens ?? 0;
    expect(tokens).toBeGreaterThan(0);
    expect(context.servers).toEqual([
      { name: 'every', tools: every?.tools.length, tokens: expect.any(Number) },
    ]);
    expect(context.servers?.[0]?.tokens).toBeLessThan(context.shares.tools);
  });
});

describe('GET /api/sessions/ID/mcp', () => {
  it('lists what a message can name once the servers run, and a message has its content', async () => {
    const { id: idle } = await client.sessions.create();
    expect(await client.mcp.offers(idle)).toEqual({ prompts: [], resources: [] });
    const id = await runOnce('/lively:greet who=Ada how="at @lively:demo://note"');
    const { prompts, resources } = await client.mcp.offers(id);
    expect(prompts.map(({ server: of, name }) => `${of}:${name}`)).toContain('lively:greet');
    expect(resources.map(({ uri }) => uri)).toContain('demo://note');
    const { messages } = await client.messages(id);
    const stored = JSON.stringify(messages[0]?.parts);
    expect(stored).toContain('Greet Ada at @lively:demo://note.');
    expect(stored).toContain('@blob:');
    await expect(client.mcp.offers('nowhere')).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

it('stateLines shows each server in words', () => {
  const tools = { tools: [], schemaTokens: 0, isDeferred: false };
  const lines = stateLines({
    servers: [
      { name: 'a', place: 'npx a', state: 'ready', tools: ['x', 'y'], schemaTokens: 12, isDeferred: false },
      { name: 'b', place: 'npx b', state: 'ready', tools: ['z'], schemaTokens: 9, isDeferred: true },
      { name: 'c', place: 'http://c', state: 'failed', error: 'It is down.', ...tools },
    ],
  });
  expect(lines).toEqual([
    'a  ready  npx a',
    '    2 tools (about 12 tokens, in every request): x, y',
    'b  ready  npx b',
    '    1 tool (about 9 tokens, deferred: found with find_tools): z',
    'c  failed  http://c',
    '    It is down.',
  ]);
  expect(stateLines({ servers: [] })).toEqual([
    'No MCP server is configured. Add one: longhaul mcp add NAME -- COMMAND',
  ]);
});
