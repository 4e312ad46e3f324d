import { readFile, writeFile } from 'node:fs/promises';
import { createClient, type LonghaulClient } from '@longhaul/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';

const KEY = 'sk-secret-0123456789';

let bench: Bench;
let running: Running;
let client: LonghaulClient;

async function start(): Promise<void> {
  running = bench.start(['serve', '--port', '0', '--json'], { env: { ANTHROPIC_API_KEY: KEY } });
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  client = createClient({
    baseUrl: url,
    token: await readFile(tokenFile, 'utf8'),
    schemas: () => import('@longhaul/protocol/api'),
  });
}

beforeAll(async () => {
  bench = await Bench.open();
  const { server } = await bench.serve({ script: () => 'Hello.' });
  await writeFile(
    bench.userFile,
    `model: mine/scripted
providers:
  mine: { kind: openai-compatible, baseUrl: "${server.url}", apiKey: ${KEY}, models: { scripted: { window: 12345 } } }
  other: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9", apiKey: $OTHER_KEY }
agents: { reader: { tools: [read], description: Reads only, model: anthropic/claude-sonnet-4-5 } }
sandbox: { driver: local }
`,
  );
  await start();
});
afterAll(async () => {
  running.child.kill('SIGTERM');
  await running.ended;
  await bench[Symbol.asyncDispose]();
});

it('lists agents with what people need to choose one', async () => {
  const { agents } = await client.agents();
  expect(agents).toMatchObject([
    { name: 'coder', isDefault: true, model: 'mine/scripted', hasPrompt: false },
    {
      name: 'reader',
      isDefault: false,
      description: 'Reads only',
      model: 'anthropic/claude-sonnet-4-5',
      tools: ['read'],
    },
  ]);
  const session = await client.sessions.create({ agent: 'reader' });
  expect(session.model).toBe('anthropic/claude-sonnet-4-5');
});

it('lists models with their windows, where these come from, and why a model cannot be used', async () => {
  const { models, default: chosen } = await client.models();
  expect(chosen).toBe('mine/scripted');
  expect(models[0]).toMatchObject({ name: chosen, windowTokens: 12_345, windowFrom: 'configuration' });
  const names = models.map(({ name }) => name);
  // Its provider has a key. OpenAI has none.
  expect(names).toContain('anthropic/claude-sonnet-4-5');
  expect(names.filter((name) => name.startsWith('openai/'))).toEqual([]);
  const found = await client.models({ all: 'true', search: 'gpt-5 openai' });
  const ofOpenAi = found.models.filter(({ provider }) => provider === 'openai');
  expect(ofOpenAi.length).toBeGreaterThan(1);
  for (const { name, ...model } of found.models) {
    expect(name).toMatch(/gpt-5/);
    expect(model).toMatchObject({ windowFrom: 'catalogue', problem: expect.any(String) });
  }
  expect(ofOpenAi[0]?.problem).toContain('OPENAI_API_KEY');
  const claude = await client.models({ all: 'true', search: 'anthropic/claude-sonnet-4-5' });
  expect(claude.models[0]?.problem).toBeUndefined();
});

it('lists providers with where their keys come from, and never the keys', async () => {
  const { providers } = await client.providers();
  const named = (name: string) => providers.find((provider) => provider.name === name);
  expect(named('mine')).toMatchObject({ isConfigured: true, hasKey: true });
  expect(named('other')).toMatchObject({
    hasKey: false,
    needsKey: true,
    problem: expect.stringContaining('$OTHER_KEY'),
  });
  expect(named('anthropic')).toMatchObject({
    isConfigured: false,
    hasKey: true,
    keyFrom: 'ANTHROPIC_API_KEY',
  });
  expect(named('openai')).toMatchObject({ hasKey: false, needsKey: true, variables: ['OPENAI_API_KEY'] });
  expect(named('groq')).toMatchObject({
    isConfigured: false,
    needsKey: true,
    problem: expect.stringMatching(/^Not configured\. Set providers\.groq\.baseUrl \(https:/),
  });
  for (const name of ['lmstudio', 'ollama', 'llamacpp', 'vllm'])
    expect(named(name)).toMatchObject({
      isConfigured: false,
      needsKey: false,
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
    });
  expect(named('mine')?.address).toBeUndefined();
  expect(JSON.stringify(providers)).not.toContain(KEY);
});

it('returns the configuration with origins, follows changes over the API, and masks keys', async () => {
  await client.settings.set({ compression: { strategy: 'middle-removal' } });
  const { config, origins, sources, ignored } = await client.config();
  expect(config).toMatchObject({
    model: 'mine/scripted',
    context: { compression: { strategy: 'middle-removal' } },
    web: { enabled: true },
  });
  expect(origins).toMatchObject({
    model: { from: 'user', path: bench.userFile },
    'context.compression.strategy': { from: 'api' },
    'server.port': { from: 'flag' },
  });
  expect([sources, ignored]).toEqual([[bench.userFile], []]);
  expect(JSON.stringify(config)).not.toContain(KEY);
  expect(await client.workspaces()).toEqual({ workspaces: [{ path: bench.workspace, isDefault: true }] });
});

it('replays a recorded session with built-in strategies only', async () => {
  const steps = Array.from({ length: 30 }, (_, index) => [
    { role: 'user', content: `Read file-${index}.ts and explain it.` },
    { role: 'assistant', content: `It has the function compute${index}Total. ${'word '.repeat(400)}` },
  ]);
  const file = new TextEncoder().encode(
    steps
      .flat()
      .map((message) => JSON.stringify(message))
      .join('\n'),
  );
  const report = await client.replay(file, {
    name: 'talk.jsonl',
    windows: '4000',
    strategies: 'middle-removal',
  });
  expect(report).toMatchObject({ name: 'talk.jsonl', windows: [4_000], strategies: ['middle-removal'] });
  expect(report.problem).toBeUndefined();
  expect(report.results[0]).toMatchObject({
    windowTokens: 4_000,
    strategy: 'middle-removal',
    isSkipped: false,
  });
  const page = await (
    await client.replayPage(file, { name: 'talk.jsonl', windows: '4000', strategies: 'middle-removal' })
  ).text();
  expect(page).toContain('<!doctype html>');
  expect(page).not.toContain('longhaul-upload-');
  for (const strategies of ['/tmp/evil.js', './x.ts', 'unknown'])
    await expect(client.replay(file, { strategies })).rejects.toMatchObject({ code: 'invalid_request' });
  const unreadable = await client.replay(new TextEncoder().encode('no session'), {
    strategies: 'middle-removal',
  });
  expect([unreadable.problem, unreadable.results]).toEqual([expect.any(String), []]);
});

it('keeps the pruning agent after a restart, and falls back with a notice when it no longer exists', async () => {
  const own = await client.settings.get();
  expect(own).toMatchObject({ pruningAgentId: '__same__', pruningAgent: { model: '__same__' } });
  const set = await client.settings.set({ pruningAgentId: 'reader' });
  expect(set).toMatchObject({
    pruningAgentId: 'reader',
    pruningAgent: { model: 'anthropic/claude-sonnet-4-5' },
    changed: { pruningAgentId: 'reader', compression: { strategy: 'middle-removal' } },
  });
  await expect(client.settings.set({ pruningAgentId: 'nobody' })).rejects.toMatchObject({
    code: 'unknown_agent',
  });
  await expect(client.settings.set({ pruningAgentId: 'nobody/x' })).rejects.toMatchObject({
    code: 'unknown_model',
  });
  expect(await client.settings.set({ pruningAgentId: 'mine/scripted' })).toMatchObject({
    pruningAgent: { model: 'mine/scripted' },
  });
  await client.settings.set({ pruningAgentId: 'reader' });

  running.child.kill('SIGTERM');
  await running.ended;
  const before = await readFile(bench.userFile, 'utf8');
  await writeFile(bench.userFile, before.replace(/agents: .*\n/, ''));
  await start();
  const gone = await client.settings.get();
  expect(gone).toMatchObject({
    pruningAgentId: 'reader',
    pruningAgent: { model: '__same__', notice: expect.stringContaining('"reader"') },
  });
  const { id } = await client.sessions.create();
  await client.sendMessage(id, 'Hi');
  const warnings: string[] = [];
  for await (const event of client.events(id, { after: 0 })) {
    if (event.type === 'context:warning') warnings.push(event.message);
    if (event.type === 'run:finished') break;
  }
  expect(warnings).toEqual([gone.pruningAgent?.notice]);
  expect(await client.settings.set({ pruningAgentId: null })).toMatchObject({ pruningAgentId: '__same__' });
});
