import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Share } from '@longhaul/protocol';
import { API_ROUTES, type ApiRoute, type OperationName } from '@longhaul/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamedTokens } from '../src/index.ts';
import { OPERATION_ACCESS, operationAccess } from '../src/safety/operation-access.ts';
import { type Example, exampleRequests, send } from './example-requests.ts';
import { openStream } from './sse-client.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let folder: string;
let named: NamedTokens;
let server: TestServer;
const tokens: Record<string, string> = {};
/** A session of ann. */
let sessionId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-access-'));
  named = new NamedTokens(join(folder, 'server-tokens'));
  server = await startTestServer({ options: { namedTokens: named }, limits: { heartbeatMs: 200 } });
  for (const name of ['ann', 'bob']) tokens[name] = await named.add(name, { scope: 'work' });
  tokens['rea'] = await named.add('rea', { scope: 'read' });
  tokens['boss'] = await named.add('boss', { scope: 'admin' });
  sessionId = await newSession('ann', { title: 'Private plan' });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function as<T = Record<string, unknown>>(
  name: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; code: string | undefined; value: T }> {
  const response = await server.fetch(path, {
    method,
    token: tokens[name],
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  const value = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, code: value?.error?.code, value };
}

async function newSession(name: string, body: object = {}): Promise<string> {
  return (await as<{ id: string }>(name, 'POST', '/api/sessions', body)).value.id;
}

/** What a response says about access: the code of a refusal, or `allowed`. */
async function answerTo(example: Example, token: string | null | undefined): Promise<string> {
  const response = await send(server, example, { token });
  if (example.streams && response.ok) await response.body?.cancel();
  const text = example.streams && response.ok ? '' : await response.text();
  const code = response.ok ? undefined : JSON.parse(text).error.code;
  return ['unauthorized', 'forbidden', 'session_not_found'].includes(code) ? code : 'allowed';
}

const share = (shared: Share) => as('ann', 'PATCH', `/api/sessions/${sessionId}`, { shared });

describe('every operation', () => {
  const operations = Object.entries<ApiRoute>(API_ROUTES).flatMap(([name, { isPublic }]) =>
    // The keys of API_ROUTES are operation names.
    isPublic === true ? [] : [name as OperationName],
  );
  const examples = () =>
    exampleRequests({ sessionId, blobId: '0'.repeat(64) }).filter(({ name }) => operations.includes(name));
  /** Operations that ask a token without the scope admin to name a session. */
  const NEEDS_SESSION: readonly string[] = ['getBlob', 'listMcpServers'];

  it('has a rule of access, unless it is public', () => {
    expect(Object.keys(OPERATION_ACCESS).toSorted()).toEqual(operations.toSorted());
  });

  it('needs a valid token', async () => {
    for (const example of examples())
      for (const token of [null, 'wrong', `lht_ann.${'A'.repeat(43)}`])
        expect([example.name, await answerTo(example, token)]).toEqual([example.name, 'unauthorized']);
  });

  it.each([
    { name: 'rea', shared: 'none' },
    { name: 'rea', shared: 'read' },
    { name: 'rea', shared: 'work' },
    { name: 'bob', shared: 'none' },
    { name: 'bob', shared: 'read' },
    { name: 'bob', shared: 'work' },
  ] as const)('lets the other token $name do what the share "$shared" allows', async ({ name, shared }) => {
    await share(shared);
    for (const example of examples()) {
      const { scope, session } = operationAccess(example.name) ?? {};
      const isInScope = scope === 'read' || (scope === 'work' && name === 'bob');
      const concerns = session === 'see' || session === 'work' || session === 'own';
      const maySee = shared !== 'none';
      const mayDo = session === 'see' ? maySee : session === 'work' && shared === 'work';
      const expected = !isInScope
        ? 'forbidden'
        : concerns
          ? maySee
            ? mayDo
              ? 'allowed'
              : 'forbidden'
            : 'session_not_found'
          : NEEDS_SESSION.includes(example.name)
            ? 'forbidden'
            : 'allowed';
      expect([example.name, await answerTo(example, tokens[name])]).toEqual([example.name, expected]);
    }
    await share('none');
  });

  it('is allowed to the owner in its scope, and to an admin', async () => {
    for (const example of examples()) {
      if (example.name === 'deleteSession') continue;
      const isOwners = operationAccess(example.name)?.scope !== 'admin';
      const expected = isOwners && !NEEDS_SESSION.includes(example.name) ? 'allowed' : 'forbidden';
      expect([example.name, await answerTo(example, tokens['ann'])]).toEqual([example.name, expected]);
      expect([example.name, await answerTo(example, tokens['boss'])]).toEqual([example.name, 'allowed']);
    }
  });
});

describe('lists', () => {
  type Page = { sessions: { id: string; owner: string }[]; next?: string };

  it('contain own and shared sessions, page by page', async () => {
    const mine = await newSession('bob', { title: 'mine' });
    const shared = await newSession('ann', { title: 'shared', shared: 'read' });
    for (let count = 0; count < 5; count += 1) await newSession('ann', { title: 'hidden' });
    const all: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { value }: { value: Page } = await as(
        'bob',
        'GET',
        `/api/sessions?limit=1${next && `&before=${next}`}`,
      );
      all.push(...value.sessions.map(({ id }) => id));
      next = value.next;
    }
    expect(all).toContain(mine);
    expect(all).toContain(shared);
    const owners = (await as<Page>('bob', 'GET', '/api/sessions?parent=any')).value.sessions;
    expect(owners.every(({ id, owner }) => owner === 'bob' || id === shared)).toBe(true);
    expect((await as<Page>('boss', 'GET', '/api/sessions')).value.sessions.length).toBeGreaterThan(
      all.length,
    );
  });

  it('say of each session whose it is, and what the token may do with it', async () => {
    await share('work');
    const seen = async (name: string) => {
      const { value } = await as<{ owner: string; isOwn: boolean; may: string }>(
        name,
        'GET',
        `/api/sessions/${sessionId}`,
      );
      return [value.owner, value.isOwn, value.may];
    };
    expect(await seen('ann')).toEqual(['ann', true, 'own']);
    expect(await seen('boss')).toEqual(['ann', false, 'own']);
    expect(await seen('bob')).toEqual(['ann', false, 'work']);
    expect(await seen('rea')).toEqual(['ann', false, 'see']);
    await share('read');
    expect(await seen('bob')).toEqual(['ann', false, 'see']);
    await share('none');
  });

  it('leave out children of sessions that the token may not see', async () => {
    const fields = {
      createdAt: 1,
      task: '',
      title: 'child',
      model: 'played/one',
      workspace: server.workspace,
    };
    await server.store.createSession({ ...fields, id: 'child-of-ann', parentId: sessionId });
    const ids = async (name: string) =>
      (await as<Page>(name, 'GET', '/api/sessions?parent=any')).value.sessions.map(({ id }) => id);
    expect(await ids('bob')).not.toContain('child-of-ann');
    expect((await as('bob', 'GET', '/api/sessions/child-of-ann')).code).toBe('session_not_found');
    await share('read');
    expect(await ids('bob')).toContain('child-of-ann');
    expect((await as('bob', 'GET', '/api/sessions/child-of-ann')).status).toBe(200);
    expect((await as('ann', 'PATCH', '/api/sessions/child-of-ann', { shared: 'none' })).code).toBe(
      'invalid_request',
    );
    await share('none');
  });

  it('search, with the same limit as for an admin, however many hits are hidden', async () => {
    const id = await newSession('bob');
    await as('bob', 'POST', `/api/sessions/${id}/messages`, { content: 'needle of bob' });
    for (let count = 0; count < 3; count += 1)
      await as('ann', 'POST', `/api/sessions/${sessionId}/messages`, { content: 'needle of ann' });
    const hits = async (name: string, query = '') =>
      (await as<{ hits: { sessionId: string }[] }>(name, 'GET', `/api/search?q=needle${query}`)).value.hits;
    await expect.poll(async () => (await hits('bob')).length).toBeGreaterThan(0);
    expect(new Set((await hits('bob')).map((hit) => hit.sessionId))).toEqual(new Set([id]));
    expect((await as('bob', 'GET', `/api/search?q=needle&sessionId=${sessionId}`)).code).toBe(
      'session_not_found',
    );
  });
});

describe('a session', () => {
  it('belongs to the token that created, forked or continued it, and its owner cannot be set', async () => {
    const stored = async (id: string) => (await server.store.getSession(id))?.metadata?.['access'];
    await share('read');
    const { value: fork } = await as<{ id: string }>('bob', 'POST', `/api/sessions/${sessionId}/fork`, {});
    expect(await stored(fork.id)).toEqual({ owner: 'bob', shared: 'none' });
    await share('none');
    const metadata = { access: { owner: 'ann' } };
    expect((await as('bob', 'POST', '/api/sessions', { metadata })).code).toBe('invalid_request');
    expect((await as('bob', 'PATCH', `/api/sessions/${fork.id}`, { metadata })).code).toBe('invalid_request');
    expect(await stored(await server.newSession())).toBeUndefined();
  });

  it('of a chat by name is another one for each token', async () => {
    const body = (text: string) => ({
      id: 'main',
      messages: [{ id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] }],
    });
    for (const name of ['ann', 'bob']) {
      const response = await server.fetch('/api/chat', {
        method: 'POST',
        token: tokens[name],
        body: JSON.stringify(body(`hello of ${name}`)),
        headers: { 'content-type': 'application/json' },
      });
      expect(await response.text()).toContain(`hello of ${name}`);
    }
    const history = async (name: string) => JSON.stringify((await as(name, 'GET', '/api/chat/main')).value);
    expect(await history('ann')).toContain('hello of ann');
    expect(await history('ann')).not.toContain('hello of bob');
    expect((await as('bob', 'GET', `/api/chat/${sessionId}`)).code).toBe('session_not_found');
    const trap = await newSession('bob', { metadata: { continuedBy: sessionId } });
    expect((await as('bob', 'GET', `/api/chat/${trap}`)).code).toBe('session_not_found');
  });

  it('of a completion is another one for each token, also with the same words', async () => {
    const ask = async (name: string) => {
      const first = { role: 'user', content: 'same words' };
      const answer = { role: 'assistant', content: 'You said: same words' };
      for (const messages of [[first], [first, answer, { role: 'user', content: `secret of ${name}` }]])
        expect(
          (await as(name, 'POST', '/v1/chat/completions', { model: 'agent/coder', messages })).status,
        ).toBe(200);
    };
    await ask('ann');
    await ask('bob');
    const sessions = (await server.store.listSessions()).filter(({ task }) => task === 'same words');
    expect(sessions.map(({ metadata }) => metadata?.['access'])).toEqual([
      { owner: 'bob', shared: 'none' },
      { owner: 'ann', shared: 'none' },
    ]);
  });

  it('cannot be written to in the name of a session of another token', async () => {
    const id = await newSession('bob');
    const sent = await as('bob', 'POST', `/api/sessions/${id}/messages`, { content: 'x', from: sessionId });
    expect(sent.code).toBe('session_not_found');
  });
});

it('a blob is read only through a session that contains it, not one that names it in a text', async () => {
  const data = Buffer.from('a picture of ann').toString('base64');
  const content = [{ type: 'file', data, mediaType: 'text/x-note', filename: 'note' }];
  await as('ann', 'POST', `/api/sessions/${sessionId}/messages`, { content });
  const reference = async () => {
    const { value } = await as<object>('ann', 'GET', `/api/sessions/${sessionId}/messages`);
    return /@blob:([0-9a-f]{64})/.exec(JSON.stringify(value))?.[1] ?? '';
  };
  await expect.poll(reference).not.toBe('');
  const blobId = await reference();
  const read = (name: string, id: string) =>
    server.fetch(`/blobs/${blobId}?sessionId=${id}`, { token: tokens[name] });
  expect(await (await read('ann', sessionId)).text()).toBe('a picture of ann');
  expect((await read('bob', sessionId)).status).toBe(404);
  const own = await newSession('bob');
  await as('bob', 'POST', `/api/sessions/${own}/messages`, { content: `@blob:${blobId}` });
  expect((await read('bob', own)).status).toBe(404);
  const stolen = [{ type: 'file', data: `@blob:${blobId}`, mediaType: 'text/x-note' }];
  const sent = await as('bob', 'POST', `/api/sessions/${own}/messages`, { content: stolen });
  expect(sent.code).toBe('blob_not_found');
});

describe('streams', () => {
  const open = (name: string, path: string) =>
    openStream(server.url + path, { headers: { authorization: `Bearer ${tokens[name]}` } });

  it('of all events contain only those of sessions that the token may see', async () => {
    const mine = await newSession('bob');
    await using stream = await open('bob', '/api/events');
    await as('ann', 'POST', `/api/sessions/${sessionId}/messages`, { content: 'hidden' });
    await as('bob', 'POST', `/api/sessions/${mine}/messages`, { content: 'shown' });
    await stream.until(({ data = '' }) => data.includes('run:finished'));
    expect(new Set(stream.events.map((event) => event.sessionId))).toEqual(new Set([mine]));
  });

  it('end when the token is revoked, and its run continues', async () => {
    tokens['tmp'] = await named.add('tmp', { scope: 'work' });
    const id = await newSession('tmp');
    await using one = await open('tmp', `/api/sessions/${id}/events`);
    await using all = await open('tmp', '/api/events');
    await named.revoke('tmp');
    for (const stream of [one, all]) {
      expect((await stream.until(({ event }) => event === 'resync')).data).toContain('unauthorized');
      await stream.ended;
    }
    expect((await as('tmp', 'GET', '/api/sessions')).status).toBe(401);
    expect((await as('boss', 'GET', `/api/sessions/${id}`)).status).toBe(200);
  });

  it('end when the token expires', async () => {
    tokens['short'] = await named.add('short', { scope: 'read', expiresAt: Date.now() + 60_000 });
    await using stream = await open('short', '/api/events');
    await named.revoke('short');
    tokens['short'] = await named.add('short', { scope: 'read', expiresAt: Date.now() - 1 });
    expect((await stream.until(({ event }) => event === 'resync')).data).toContain('unauthorized');
  });

  it('end when the session is no longer shared', async () => {
    await share('read');
    await using stream = await open('bob', `/api/sessions/${sessionId}/events`);
    await share('none');
    expect((await stream.until(({ event }) => event === 'resync')).data).toContain('unauthorized');
  });
});

it('a page signs in with a named token, and has its rights until it is revoked', async () => {
  tokens['guest'] = await named.add('guest', { scope: 'work' });
  const signed = await as<{ token: string }>('guest', 'POST', '/api/page/session', {});
  tokens['page'] = signed.value.token;
  const id = await newSession('page');
  expect((await as<{ owner: string }>('guest', 'GET', `/api/sessions/${id}`)).value.owner).toBe('guest');
  expect((await as('page', 'GET', `/api/sessions/${sessionId}`)).code).toBe('session_not_found');
  expect((await as('page', 'POST', '/api/page/session', {})).status).toBe(401);
  await named.revoke('guest');
  expect((await as('page', 'GET', '/api/sessions')).status).toBe(401);
});

describe('the rate of requests', () => {
  const rate = { perSecond: 0.0001, burst: 40 };
  const statusOf = async (limited: TestServer, token: string | null, path = '/api/sessions') =>
    (await limited.fetch(path, { token })).status;

  it('is that of a token, so a flood of wrong tokens from the same address locks nobody out', async () => {
    await using limited = await startTestServer({ options: { namedTokens: named }, limits: { rate } });
    const flood = [];
    for (let count = 0; count < 100; count += 1)
      flood.push(await statusOf(limited, `lht_ann.${'A'.repeat(43)}`));
    expect(flood.filter((status) => status === 401)).toHaveLength(2);
    expect(flood.filter((status) => status === 429)).toHaveLength(98);
    expect(await statusOf(limited, null)).toBe(429);
    for (const name of ['ann', 'bob'])
      for (let count = 0; count < 40; count += 1)
        expect(await statusOf(limited, tokens[name] ?? '')).toBe(200);
    expect(await statusOf(limited, tokens['ann'] ?? '')).toBe(429);
    expect((await limited.fetch('/api/sessions')).status).toBe(200);
  });

  it('is separate for files of the page, probes and preflight requests, which have no token', async () => {
    await using limited = await startTestServer({ limits: { rate } });
    for (let count = 0; count < 5; count += 1) await statusOf(limited, 'wrong');
    for (let count = 0; count < 39; count += 1) expect(await statusOf(limited, null, '/healthz')).toBe(200);
    expect((await limited.fetch('/api/sessions', { method: 'OPTIONS', token: null })).status).toBe(204);
    expect(await statusOf(limited, null, '/healthz')).toBe(429);
  });
});

describe('the audit', () => {
  /** The lines about one operation, oldest first. */
  const linesOf = (operation: string) =>
    server.log
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter((line) => line['audit'] === true && line['operation'] === operation);

  it('has a line for each change: who, what, which session, and why it was refused', async () => {
    const id = await newSession('ann');
    const who = { token: 'ann', scope: 'work', address: '127.0.0.1' };
    expect(linesOf('createSession').at(-1)).toMatchObject({ ...who, sessionId: id, level: 30 });
    await as('ann', 'POST', `/api/sessions/${id}/messages`, { content: 'private words' });
    expect(linesOf('sendMessage').at(-1)).toMatchObject({
      ...who,
      sessionId: id,
      requestId: expect.any(String),
    });
    await as('bob', 'DELETE', `/api/sessions/${id}`);
    expect(linesOf('deleteSession').at(-1)).toMatchObject({
      token: 'bob',
      sessionId: id,
      code: 'session_not_found',
    });
    await as('rea', 'PUT', '/api/settings', {});
    expect(linesOf('putSettings').at(-1)).toMatchObject({ token: 'rea', code: 'forbidden' });
    const messages = [{ id: 'audit', role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
    const chat = { method: 'POST', body: JSON.stringify({ id, messages }), token: tokens['ann'] };
    await (
      await server.fetch('/api/chat', { ...chat, headers: { 'content-type': 'application/json' } })
    ).text();
    expect(linesOf('chat').at(-1)).toMatchObject({ token: 'ann', sessionId: id });
    expect(server.log.join('')).not.toContain('private words');
  });

  it('has no line for reading, nor for the checks of a monitor', async () => {
    await as('ann', 'GET', `/api/sessions/${sessionId}`);
    await as('ann', 'GET', '/api/sessions');
    for (const check of ['/healthz', '/readyz']) await server.fetch(check, { token: null });
    const read = ['getSession', 'listSessions', 'healthz', 'readyz'];
    expect(read.flatMap(linesOf)).toEqual([]);
  });
});

it('takes the address and the host of a client from a trusted proxy, so its page is not refused', async () => {
  const options = { trustProxy: ['127.0.0.1'], hosts: ['team.example'] };
  await using behind = await startTestServer({ options, limits: { rate: { perSecond: 0.0001, burst: 20 } } });
  const get = async (headers: Record<string, string>, token?: string) =>
    (await behind.fetch('/api/sessions', { headers, ...(token !== undefined && { token }) })).status;
  const page = { origin: 'https://team.example' };
  expect(await get(page)).toBe(403);
  expect(await get({ ...page, 'x-forwarded-host': 'team.example' })).toBe(200);
  expect(await get({ 'x-forwarded-host': 'other.example' })).toBe(403);
  const from = (address: string) => get({ 'x-forwarded-for': address }, 'wrong');
  expect([await from('203.0.113.7'), await from('203.0.113.7')]).toEqual([401, 429]);
  expect(await from('203.0.113.8')).toBe(401);
});
