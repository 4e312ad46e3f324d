import { readFile, writeFile } from 'node:fs/promises';
import { createClient, type LonghaulClient } from '@longhaul/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';

const KEY = 'sk-secret-0123456789';

let bench: Bench;
let running: Running;
let client: LonghaulClient;

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
  running = bench.start(['serve', '--port', '0', '--json'], { env: { ANTHROPIC_API_KEY: KEY } });
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  client = createClient({ baseUrl: url, token: await readFile(tokenFile, 'utf8') });
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
