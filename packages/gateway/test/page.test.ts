import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompactionDetail, GatewayPageState } from '@longhaul/protocol/gateway-page';
import { createPersonaServer, type PersonaServer } from '@longhaul/scripted-model';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { GatewayOptions, KeptChange } from '../src/index.ts';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway, type TestGateway } from './start-test-gateway.ts';

const TOKEN = 'the-token-of-the-page';
const JSON_TYPE = { 'content-type': 'application/json' };
const SUMMARY = 'The user asked for many words.\nAll of them were said in order, and none is open.';
const HTML = { accept: 'text/html' };

let folder: string;
let server: PersonaServer;
let other: PersonaServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-gateway-page-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>The page</title>');
  await writeFile(join(folder, 'assets', 'a-1.js'), 'export {};');
  const script = ({ asksForSummary }: { asksForSummary: boolean }) => (asksForSummary ? SUMMARY : 'Yes.');
  server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 4_096, script });
  other = await createPersonaServer({ persona: 'lmstudio', windowTokens: 8_192, script });
});
afterAll(async () => {
  await Promise.all([server.close(), other.close(), rm(folder, { recursive: true, force: true })]);
});

const start = (options: Partial<GatewayOptions> = {}) =>
  startTestGateway('', {
    upstreams: [
      { name: 'one', baseUrl: server.url },
      { name: 'two', baseUrl: other.url, compaction: 'required' },
    ],
    notices: 'off',
    page: { folder, token: TOKEN },
    ...options,
  });

const rootOf = ({ url }: TestGateway) => url.replace('/v1', '');

async function signIn(gateway: TestGateway): Promise<Record<string, string>> {
  const answer = await fetch(`${rootOf(gateway)}/page/session`, {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` },
    body: '{}',
  });
  const { token }: { token: string } = JSON.parse(await answer.text());
  return { authorization: `Bearer ${token}` };
}

const change = (gateway: TestGateway, headers: Record<string, string>, body: unknown) =>
  fetch(`${rootOf(gateway)}/page/settings`, {
    method: 'PUT',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });

async function stateOf(gateway: TestGateway, headers: Record<string, string>): Promise<GatewayPageState> {
  return JSON.parse(await (await fetch(`${rootOf(gateway)}/page/state`, { headers })).text());
}

const history = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'so many words. '.repeat(30)}`,
  }));

async function chat(gateway: TestGateway, messages: readonly object[], model = `one/${server.model}`) {
  const body = JSON.stringify({ model, messages });
  return (await rawRequest(gateway.url, { headers: JSON_TYPE, body })).status;
}

describe('access to the page', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start({ hosts: ['my.host'], origins: ['https://chat.example.com'] });
  });
  afterAll(() => gateway.close());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(rootOf(gateway), { method, path, headers });

  it('serves the files without a token, and nothing outside their folder', async () => {
    const page = await get('/', HTML);
    expect(page.status).toBe(200);
    expect(page.body.toString()).toContain('The page');
    const headers = page.rawHeaders.join('\n');
    expect(headers).toContain("script-src 'self'");
    expect(headers).not.toMatch(/access-control/i);
    expect((await get('/assets/a-1.js')).status).toBe(200);
    expect((await get('/assets/..%2findex.html')).status).toBe(404);
    expect((await get('/assets/missing.js')).status).toBe(404);
    expect((await get('/assets/a-1.js', {}, 'POST')).status).toBe(405);
    // Programs get the status, as before.
    expect(JSON.parse((await get('/')).body.toString())).toHaveProperty('upstreams');
  });

  it('requires the token for everything else, which the token of the server itself is not', async () => {
    for (const [method, path] of [
      ['GET', '/page/state'],
      ['GET', '/page/events'],
      ['GET', '/page/compaction?id=1.1'],
      ['PUT', '/page/settings'],
      ['GET', '/page/other'],
    ] as const) {
      expect((await get(path, {}, method)).status, path).toBe(401);
      expect((await get(path, { authorization: `Bearer ${TOKEN}` }, method)).status, path).toBe(401);
    }
    const headers = await signIn(gateway);
    expect((await get('/page/state', headers)).status).toBe(200);
    expect((await get('/page/other', headers)).status).toBe(404);
    expect((await get('/page/compaction?id=9.9', headers)).status).toBe(404);
  });

  it('signs in with a one-time code, once', async () => {
    const code = new URL(gateway.newPageAddress() ?? '').hash.replace('#code=', '');
    const send = () =>
      fetch(`${rootOf(gateway)}/page/session`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ code }),
      });
    const first = await send();
    expect(first.status).toBe(200);
    expect((await send()).status).toBe(401);
    const { token }: { token: string } = JSON.parse(await first.text());
    expect((await get('/page/state', { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('refuses other names of this machine, and pages of other origins, also allowed and local ones', async () => {
    const headers = await signIn(gateway);
    for (const path of ['/', '/page/state', '/page/session', '/assets/a-1.js']) {
      expect((await get(path, { ...HTML, ...headers, host: 'evil.example' })).status).toBe(403);
      for (const origin of ['https://evil.example', 'https://chat.example.com', 'http://localhost:3000'])
        expect((await get(path, { ...HTML, ...headers, origin })).status).toBe(403);
    }
    expect((await get('/page/state', { ...headers, host: 'my.host:4141' })).status).toBe(200);
    const visit = {
      ...HTML,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await get('/', visit)).status).toBe(200);
    expect((await get('/page/state', { ...visit, ...headers })).status).toBe(403);
    const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'PUT' };
    const refused = await get('/page/settings', preflight, 'OPTIONS');
    expect(refused.status).toBe(403);
    expect(refused.rawHeaders.join('\n')).not.toMatch(/access-control/i);
  });
});

test('keeps the page behind its own token if clients send another one', async () => {
  await using gateway = await start({ token: 'for-clients' });
  const get = (path: string, headers: Record<string, string>) =>
    rawRequest(rootOf(gateway), { method: 'GET', path, headers });
  expect((await get('/page/state', { authorization: 'Bearer for-clients' })).status).toBe(401);
  const headers = await signIn(gateway);
  expect((await get('/page/state', headers)).status).toBe(200);
  expect((await get('/v1/models', headers)).status).toBe(401);
});

test('has no page without its options', async () => {
  await using gateway = await start({ page: undefined });
  expect(gateway.pageAddress).toBeUndefined();
  expect(gateway.newPageAddress()).toBeUndefined();
  expect((await fetch(`${rootOf(gateway)}/`, { headers: HTML })).status).toBe(200);
  expect((await fetch(`${rootOf(gateway)}/page/state`)).status).toBe(404);
});

test('streams the state with servers, windows, conversations and compactions as they change', async () => {
  await using gateway = await start();
  const headers = await signIn(gateway);
  const stopped = new AbortController();
  const stream = await fetch(`${rootOf(gateway)}/page/events`, { headers, signal: stopped.signal });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const states = statesIn(stream);
  const until = async (isThere: (state: GatewayPageState) => boolean) => {
    for (;;) {
      const { value, done } = await states.next();
      if (done === true) throw new Error('The stream has ended.');
      if (isThere(value)) return value;
    }
  };
  const listed = await until(({ models }) =>
    models.some(({ windows }) => windows.loaded?.windowTokens === 8_192),
  );
  expect(listed.conversations).toEqual([]);
  expect(listed.upstreams).toMatchObject([
    { name: 'one', compaction: true, state: 'answers', listedModels: 1 },
    { name: 'two', compaction: 'required' },
  ]);
  expect(await chat(gateway, history(101))).toBe(200);
  const { conversations, models } = await until((state) => state.conversations[0]?.compactions.length === 1);
  expect(conversations).toMatchObject([
    { upstream: 'one', model: server.model, messages: 101, windowTokens: 4_096 },
  ]);
  expect(models[0]).toMatchObject({
    requests: 1,
    compactions: 1,
    windows: {
      used: { windowTokens: 4_096, source: 'llama.cpp /props' },
      loaded: { windowTokens: 4_096 },
      learned: null,
      configured: null,
    },
  });
  const id = conversations[0]?.compactions[0]?.id;
  const read = await fetch(`${rootOf(gateway)}/page/compaction?id=${id}`, { headers });
  const detail: CompactionDetail = JSON.parse(await read.text());
  expect(detail.narrative).toContain(SUMMARY);
  expect(detail.keptMessages.length).toBeGreaterThan(0);
  stopped.abort();
});

async function* statesIn(answer: Response): AsyncGenerator<GatewayPageState> {
  let text = '';
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + piece).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

describe('settings', () => {
  const kept: KeptChange[] = [];
  let failure: Error | undefined;
  const keeper = {
    places: {
      compactor: { file: '/f' },
      inputThreshold: { file: '/f' },
      warningThreshold: { file: '/f' },
      upstreams: { notStored: 'A flag sets it.' },
    },
    async store(given: KeptChange) {
      if (failure !== undefined) throw failure;
      kept.push(given);
    },
  };
  beforeEach(() => {
    kept.length = 0;
    failure = undefined;
  });

  it('take effect for the next request, and are stored', async () => {
    await using gateway = await start({ page: { folder, token: TOKEN, keeper } });
    const headers = await signIn(gateway);
    const twice = history(41);
    const sizes = async () => (await stateOf(gateway, headers)).models[0];
    expect(await chat(gateway, history(11))).toBe(200);
    expect((await sizes())?.compactions).toBe(0);
    const answer = await change(gateway, headers, { inputThreshold: 0.3, compactor: 'none' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      settings: { compactor: 'none', inputThreshold: 0.3, warningThreshold: 0.9, places: keeper.places },
    });
    expect(await chat(gateway, history(13))).toBe(200);
    expect((await sizes())?.compactions).toBe(1);
    await change(gateway, headers, { compaction: { one: false, two: false } });
    expect(await chat(gateway, twice)).toBe(400);
    await change(gateway, headers, { compaction: { one: true, two: true } });
    expect(await chat(gateway, twice)).toBe(200);
    expect(kept).toEqual([
      { inputThreshold: 0.3, compactor: 'none', compaction: undefined },
      { compaction: { one: false, two: 'required-off' } },
      { compaction: { one: true, two: 'required' } },
    ]);
    expect((await change(gateway, headers, { compactor: `two/${other.model}` })).status).toBe(200);
  });

  it.each([
    [[], 'The settings are not valid'],
    [{ inputThreshold: 0 }, 'inputThreshold'],
    [{ warningThreshold: '0.5' }, 'warningThreshold'],
    [{ port: 1 }, 'port'],
    [{ compaction: { three: false } }, 'There is no upstream "three"'],
    [{ compaction: { one: 'no' } }, 'compaction.one'],
    [{ compactor: '' }, 'compactor'],
    [{ compactor: 'no-slash' }, 'UPSTREAM/MODEL'],
    [{ compactor: 'two/unlisted' }, 'No upstream lists'],
    [JSON.parse('{"__proto__": {"inputThreshold": 0.5}, "x": 1}'), 'The settings are not valid'],
  ])('refuse %j', async (body, reason) => {
    await using gateway = await start({ page: { folder, token: TOKEN, keeper } });
    const headers = await signIn(gateway);
    const before = (await stateOf(gateway, headers)).settings;
    const answer = await change(gateway, headers, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(await answer.text()).error.message).toContain(reason);
    expect(kept).toEqual([]);
    expect((await stateOf(gateway, headers)).settings).toEqual(before);
  });

  it('do not change if they cannot be stored, if they are not JSON, or if they are too long', async () => {
    await using gateway = await start({ page: { folder, token: TOKEN, keeper } });
    const headers = await signIn(gateway);
    failure = new Error('The disk is full.');
    expect((await change(gateway, headers, { inputThreshold: 0.5 })).status).toBe(500);
    failure = undefined;
    const send = (type: string, body: string) =>
      rawRequest(rootOf(gateway), {
        method: 'PUT',
        path: '/page/settings',
        headers: { ...headers, 'content-type': type },
        body,
      });
    expect((await send('text/plain', '{"inputThreshold":0.5}')).status).toBe(415);
    expect((await send('application/json', '{')).status).toBe(400);
    expect((await send('application/json', `{"compactor":"${'x'.repeat(70_000)}"}`)).status).toBe(413);
    expect((await stateOf(gateway, headers)).settings.inputThreshold).toBe(0.8);
  });
});

test('lets a running answer end with the settings with which it began', async () => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using upstream = await startRecordingUpstream(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Yes.' } }] })}\n\n`);
    asked.resolve();
    await gate.promise;
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  const upstreams = [{ name: 'one', baseUrl: upstream.url, models: { m: { windowTokens: 4_096 } } }];
  await using gateway = await start({ upstreams });
  const headers = await signIn(gateway);
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
  const answer = rawRequest(gateway.url, { headers: JSON_TYPE, body });
  await asked.promise;
  expect((await change(gateway, headers, { warningThreshold: 0.5 })).status).toBe(200);
  gate.resolve();
  const { status, wasCut, body: text } = await answer;
  expect({ status, wasCut }).toEqual({ status: 200, wasCut: false });
  expect(text.toString()).toContain('[DONE]');
  expect(gateway.logged.filter(({ level }) => level !== 'info')).toEqual([]);
});
