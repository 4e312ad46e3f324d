import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { currentClaimant } from '@longhaul/core';
import { ZERO_USAGE } from '@longhaul/protocol';
import { API_ROUTES } from '@longhaul/protocol/api';
import { describe, expect, it } from 'vitest';
import { type Block, isEvent, openStream } from './sse-client.ts';
import { gate, pieces, startTestServer, type TestServer, TOKEN } from './test-server.ts';

interface Page {
  sessions: { id: string; state: string }[];
  next?: string;
}

async function finished(server: TestServer, id: string): Promise<void> {
  await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
  await stream.until(isEvent('run:finished'));
}

describe('sessions over HTTP', () => {
  it('are created, listed in pages, found, changed and deleted', async () => {
    await using server = await startTestServer();
    const ids: string[] = [];
    for (const title of ['Fix parser', 'Write docs', 'Parser again'])
      ids.push(await server.newSession({ title, metadata: { title } }));
    const first = await server.call<Page>('GET', '/api/sessions?limit=2');
    const second = await server.call<Page>('GET', `/api/sessions?limit=2&before=${first.next}`);
    expect([...first.sessions, ...second.sessions].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(second.next).toBeUndefined();
    const found = await server.call<Page>('GET', '/api/sessions?search=parser');
    expect(found.sessions.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    const path = `/api/sessions/${ids[0]}`;
    expect(await server.call('PATCH', path, { title: 'New' })).toMatchObject({
      title: 'New',
      state: 'active',
    });
    expect(await server.call('GET', path)).toMatchObject({
      title: 'New',
      metadata: { title: 'Fix parser' },
      queued: 0,
      lastEvent: 2,
      workspace: server.workspace,
      model: 'played/one',
    });
    // Metadata that a change does not name is kept, such as a chat id, an agent or a pending compaction.
    const changed = await server.call('PATCH', path, { metadata: { color: 'red' } });
    expect(changed).toMatchObject({ metadata: { title: 'Fix parser', color: 'red' } });
    const without = await server.call<{ metadata: object }>('PATCH', path, { metadata: { title: null } });
    expect(without.metadata).toEqual({ color: 'red' });
    await server.call('DELETE', path);
    expect((await server.fetch(path)).status).toBe(404);
  });

  it('are listed without children, unless these are asked for', async () => {
    await using server = await startTestServer();
    const parent = await server.newSession({ title: 'Parent' });
    const session = await server.store.getSession(parent);
    const draft = { task: 'Child', title: 'Child', model: 'played/one', workspace: session?.workspace ?? '' };
    await server.store.createSession({ ...draft, id: 'child', createdAt: 1, parentId: parent });
    const usage = { ...ZERO_USAGE, inputTokens: 7, totalTokens: 7 };
    const claim = { runId: 'r1', ttlMs: 60_000, ...currentClaimant() };
    const { lease } = await server.store.acquireLease('child', claim);
    const base = { role: 'assistant', status: 'done', tokenCount: 1, createdAt: 1 } as const;
    await server.store.appendMessage(lease, { ...base, id: 'answer', parts: [], usage, cost: 0.5 });
    const listed = async (query: string) =>
      (await server.call<Page>('GET', `/api/sessions?${query}`)).sessions.map(({ id }) => id);
    expect(await listed('')).toEqual([parent]);
    expect(await listed('parent=none')).toEqual([parent]);
    expect((await listed('parent=any')).toSorted()).toEqual(['child', parent].toSorted());
    expect(await listed(`parent=${parent}`)).toEqual(['child']);
    const { figures } = await server.call<{ figures: object }>('GET', `/api/sessions/${parent}?figures=true`);
    expect(figures).toMatchObject({ steps: 0, children: { sessions: 1, steps: 1, usage, cost: 0.5 } });
  });

  it('take the message /compact as the command, once for each key', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const send = () =>
      server.fetch(`/api/sessions/${id}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'compact-1' },
        body: JSON.stringify({ content: '/compact the API' }),
      });
    const first = await (await send()).json();
    expect(first).toMatchObject({
      ok: true,
      queued: false,
      id: 'compact-1',
      compaction: { status: 'nothing' },
    });
    expect(first).not.toHaveProperty('runId');
    expect(await (await send()).json()).toEqual(first);
    expect(await server.call('GET', `/api/sessions/${id}/messages`)).toMatchObject({ messages: [] });
  });

  it('store each message with media once, and return it', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const data = Buffer.from('image bytes').toString('base64');
    const send = () =>
      server.fetch(`/api/sessions/${id}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once-1' },
        body: JSON.stringify({
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', data },
          ],
        }),
      });
    const first = await (await send()).json();
    expect(first).toMatchObject({ ok: true, queued: false, id: 'once-1', runId: expect.any(String) });
    await finished(server, id);
    expect(await (await send()).json()).toEqual(first);
    await server.call('POST', '/api/message', { sessionId: id, content: 'second' });
    await expect
      .poll(async () => (await server.call('GET', `/api/sessions/${id}`))['state'])
      .toBe('completed');
    const { messages, hasMore } = await server.call<{
      messages: { role: string; parts: { data?: string }[] }[];
      hasMore: boolean;
    }>('GET', `/api/sessions/${id}/messages`);
    expect([messages.map(({ role }) => role), hasMore]).toEqual([
      ['user', 'assistant', 'user', 'assistant'],
      false,
    ]);
    const reference = messages[0]?.parts[1]?.data ?? '';
    const blob = await server.fetch(`/blobs/${reference.replace('@blob:', '')}?type=image/png`);
    expect([blob.headers.get('content-type'), await blob.text()]).toEqual(['image/png', 'image bytes']);
    const newest = await server.call<{ messages: { sequence: number }[]; hasMore: boolean }>(
      'GET',
      `/api/sessions/${id}/messages?limit=1`,
    );
    expect([newest.messages[0]?.sequence, newest.hasMore]).toEqual([4, true]);
    const after = await server.call<typeof newest>('GET', `/api/sessions/${id}/messages?after=1&limit=2`);
    expect([after.messages.map(({ sequence }) => sequence), after.hasMore]).toEqual([[2, 3], true]);
  });

  it('return the first response for a message that is sent again: simultaneously, after its run, until the session is deleted', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const send = () =>
      server.fetch(`/api/sessions/${id}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: '{"content":"go"}',
      });
    const both = await Promise.all([send(), send()]);
    const [first, second] = await Promise.all(both.map((response) => response.json()));
    expect(first).toMatchObject({ queued: false, runId: expect.any(String) });
    expect(second).toEqual(first);
    await finished(server, id);
    expect(await (await send()).json()).toEqual(first);
    const events = await server.store.readEvents(id, { after: 0, limit: 100 });
    expect(events.filter(({ type }) => type === 'run:started')).toHaveLength(1);
    await server.call('DELETE', `/api/sessions/${id}`);
    expect((await send()).status).toBe(404);
  });

  it('refuse an image and a file that the model does not take: sent, queued, and in the change of a queued message', async () => {
    const go = gate();
    await using server = await startTestServer({
      accepts: { images: false, files: false },
      play: (_text, { signal }) => pieces('abc', { size: 1, pause: () => go.wait(signal) }),
    });
    const id = await server.newSession();
    const send = (method: string, path: string, type: 'image' | 'file') =>
      server.fetch(`/api/sessions/${id}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: [{ type, data: 'aGk=', mediaType: 'application/pdf' }] }),
      });
    const refused = async (sent: Promise<Response>) => {
      const response = await sent;
      return [response.status, await response.json()];
    };
    expect(await refused(send('POST', '/messages', 'image'))).toMatchObject([
      415,
      { error: { code: 'input_unsupported' } },
    ]);
    expect(await server.call('GET', `/api/sessions/${id}`)).toMatchObject({ queued: 0, lastEvent: 0 });
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'hold' });
    await expect.poll(() => server.call('GET', `/api/sessions/${id}/queue`)).toMatchObject({ messages: [] });
    expect(await refused(send('POST', '/messages', 'image'))).toMatchObject([
      415,
      { error: { code: 'input_unsupported' } },
    ]);
    expect(await refused(send('POST', '/messages', 'file'))).toMatchObject([
      415,
      { error: { code: 'input_unsupported' } },
    ]);
    const waiting = await server.call<{ id: string }>('POST', `/api/sessions/${id}/messages`, {
      content: 'one',
    });
    expect(await refused(send('PUT', `/queue/${waiting.id}`, 'image'))).toMatchObject([
      415,
      { error: { code: 'input_unsupported' } },
    ]);
    const { messages } = await server.call<{ messages: object[] }>('GET', `/api/sessions/${id}/queue`);
    expect(messages).toMatchObject([{ content: [{ type: 'text', text: 'one' }] }]);
    go.open();
  });

  it('report a new title to everybody who watches, with and without a run', async () => {
    const go = gate();
    await using server = await startTestServer({
      play: (_text, { signal }) => pieces('abc', { size: 1, pause: () => go.wait(signal) }),
    });
    const id = await server.newSession();
    await using watched = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    const titled = (title: string) => (block: Block) =>
      isEvent('session:titled')(block) && block.data?.includes(`"${title}"`) === true;
    await server.call('PATCH', `/api/sessions/${id}`, { title: 'Idle' });
    expect((await watched.until(titled('Idle'))).id).toBe('1');
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'hold' });
    await watched.until(isEvent('llm:chunk'));
    await server.call('PATCH', `/api/sessions/${id}`, { title: 'Busy' });
    expect((await watched.until(titled('Busy'))).id).toBeUndefined();
    go.open();
    await watched.until(isEvent('run:finished'));
    expect(await server.call('GET', `/api/sessions/${id}`)).toMatchObject({ title: 'Busy' });
  });

  it('queue messages during a run (listed, edited, removed, delivered), and cancel the run', async () => {
    const go = gate();
    await using server = await startTestServer({
      play: (text, { signal }) =>
        text.startsWith('hold')
          ? pieces('abcdef', { size: 1, pause: () => go.wait(signal) })
          : pieces(`re: ${text}`),
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'hold' });
    await expect
      .poll(() => server.call('GET', `/api/message/queue?sessionId=${id}`))
      .toMatchObject({ messages: [] });
    const results = [];
    for (const content of ['one', 'two', 'three'])
      results.push(await server.call<{ id: string }>('POST', `/api/sessions/${id}/messages`, { content }));
    expect(results).toMatchObject(
      [1, 2, 3].map((position) => ({
        ok: true,
        queued: true,
        position,
        message: `Message queued at position ${position}`,
      })),
    );
    await server.call('PUT', `/api/sessions/${id}/queue/${results[0]?.id}`, { content: 'uno' });
    await server.call('DELETE', `/api/sessions/${id}/queue/${results[1]?.id}`);
    const queue = await server.call<{ messages: { content: unknown }[] }>(
      'GET',
      `/api/message/queue?sessionId=${id}`,
    );
    expect(queue.messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'uno' }],
      [{ type: 'text', text: 'three' }],
    ]);
    expect((await server.fetch(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(409);
    expect(await server.call('POST', `/api/sessions/${id}/cancel`, {})).toMatchObject({ cancelled: true });
    expect(await server.call('GET', `/api/sessions/${id}`)).toMatchObject({ state: 'cancelled', queued: 2 });
    expect(await server.call('POST', `/api/sessions/${id}/resume`, {})).toMatchObject({
      runId: expect.any(String),
    });
    await expect
      .poll(async () =>
        (await server.store.loadLog(id)).messages.at(-1)?.parts.map((part) => 'text' in part && part.text),
      )
      .toEqual(['re: First: uno\n\nAlso: three']);
    await server.call('POST', `/api/sessions/${id}/cancel`, { clearQueue: true });
    expect(await server.call('DELETE', `/api/message/queue?sessionId=${id}`)).toEqual({
      ok: true,
      removed: 0,
    });
  });

  it('report and change their context, are forked, exported and searched', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const path = `/api/sessions/${id}`;
    for (const content of ['alpha retryAfter', 'beta', 'gamma']) {
      await server.call('POST', `${path}/messages`, { content });
      await expect.poll(async () => (await server.call('GET', path))['state']).toBe('completed');
    }
    const window = 'windowTokens=1000';
    expect(await server.call('GET', `${path}/context?${window}`)).toMatchObject({
      messages: { total: 6, hidden: 0 },
    });
    expect(await server.call('POST', `${path}/pin`, { target: 'm1' })).toMatchObject({ changed: true });
    const compacted = { strategy: 'middle-removal', windowTokens: 1_000 };
    expect(await server.call('POST', `${path}/compact`, { ...compacted, preview: true })).toHaveProperty(
      'status',
    );
    expect(await server.call('POST', `${path}/undo`, {})).toHaveProperty('status');
    expect(await server.call('POST', `${path}/unpin`, { target: 'm1' })).toMatchObject({ changed: true });
    const fork = await server.call<{ id: string }>('POST', `${path}/fork`, { at: 'm2', title: 'Other way' });
    expect(await server.call('GET', `/api/sessions/${fork.id}/messages`)).toMatchObject({
      messages: [{ sequence: 1 }, { sequence: 2, visibility: { handle: 'm2', isPinned: false } }],
    });
    const exported = await server.call<object>('GET', `${path}/export`);
    expect(exported).toMatchObject({ format: 'longhaul-session', version: 1, session: { id } });
    expect(exported).not.toHaveProperty('packs');
    const withFiles = await server.fetch(`${path}/export?files=true`);
    expect(await withFiles.json()).toEqual({ ...exported, packs: [] });
    const { hits } = await server.call<{ hits: { handle: string }[] }>(
      'GET',
      `/api/search?q=retry&sessionId=${id}`,
    );
    expect(hits.map(({ handle }) => handle)).toEqual(expect.arrayContaining(['m1.0']));
  });

  it('mark reverted messages, and find them only on request', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const claim = { runId: 'r1', ttlMs: 60_000, ...currentClaimant() };
    const { lease } = await server.store.acquireLease(id, claim);
    for (const sequence of [1, 2, 3]) {
      const parts = [{ type: 'text', text: `sought words ${sequence}`, state: 'done' } as const];
      const base = { role: 'assistant', status: 'done', tokenCount: 1, createdAt: sequence } as const;
      await server.store.appendMessage(lease, { ...base, parts, id: `m${sequence}` });
    }
    await server.store.recordMarks(lease, [
      { kind: 'pin', id: 'p', messageId: 'm1', createdAt: 2 },
      { kind: 'revert', id: 'r', at: 3, to: 1, branchedAt: 2, createdAt: 9 },
    ]);
    type Listed = { messages: { visibility: { isReverted: boolean; isPinned: boolean } }[] };
    const { messages } = await server.call<Listed>('GET', `/api/sessions/${id}/messages`);
    expect(messages.map(({ visibility }) => visibility.isReverted)).toEqual([false, true, true]);
    expect(messages.some(({ visibility }) => visibility.isPinned)).toBe(false);
    const found = async (query: string) => {
      const { hits } = await server.call<{ hits: { sequence: number }[] }>(
        'GET',
        `/api/search?q=sought${query}`,
      );
      return hits.map(({ sequence }) => sequence).toSorted();
    };
    expect(await found('')).toEqual([1]);
    expect(await found('&reverted=true')).toEqual([1, 2, 3]);
  });

  it('report the first active compaction that hid each message', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const { lease } = await server.store.acquireLease(id, {
      runId: 'r1',
      ttlMs: 60_000,
      ...currentClaimant(),
    });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const [createdAt, letter] of ids.entries()) {
      const base = { role: 'assistant', status: 'done', tokenCount: 1 } as const;
      await server.store.appendMessage(lease, { ...base, parts: [], id: letter, createdAt });
    }
    const sizes = { tokensBefore: 2, tokensAfter: 1, createdAt: 9, strategy: 's', reason: 'manual' } as const;
    const summary = { ledger: 'facts', narrative: '' };
    for (const [index, hides] of [['a'], ['a', 'b', 'd'], ['a', 'b', 'c', 'd']].entries()) {
      const round = index + 1;
      await server.store.recordCompaction(lease, { id: `c${round}`, round, hides, summary, ...sizes });
    }
    await server.store.undoMark(id, 'c1', 10);
    const { messages } = await server.call<{ messages: { visibility: { hiddenBy?: string } }[] }>(
      'GET',
      `/api/sessions/${id}/messages`,
    );
    expect(messages.map(({ visibility }) => visibility.hiddenBy)).toEqual([
      'c2',
      'c2',
      'c3',
      'c2',
      undefined,
    ]);
  });

  it('are limited to allowed folders, even through symbolic links', async () => {
    await using server = await startTestServer();
    await mkdir(join(server.workspace, 'app'));
    await symlink('/etc', join(server.workspace, 'out'));
    await symlink(join(server.workspace, 'app'), join(server.workspace, 'in'));
    for (const workspace of ['app', join(server.workspace, 'app'), 'in', '../workspace/app'])
      expect(await server.call('POST', '/api/sessions', { workspace })).toMatchObject({
        workspace: join(server.workspace, 'app'),
      });
    for (const workspace of [
      'out',
      '/etc',
      '..',
      '/',
      'absent',
      `${server.workspace}-other`,
      '~',
      'app/../..',
    ]) {
      const response = await server.fetch('/api/sessions', {
        method: 'POST',
        body: JSON.stringify({ workspace }),
        headers: { 'content-type': 'application/json' },
      });
      expect([workspace, response.status]).toEqual([workspace, 403]);
      expect(await response.json()).toMatchObject({ error: { code: 'workspace_not_allowed' } });
    }
  });
});

describe('the server', () => {
  it('reports its health and metrics, and stores settings', async () => {
    await using server = await startTestServer();
    expect(await (await server.fetch('/healthz', { token: null })).json()).toEqual({ status: 'ok' });
    expect(await (await server.fetch('/readyz', { token: null })).json()).toMatchObject({
      status: 'ready',
      runs: 0,
      checks: { store: { ok: true }, model: { ok: true } },
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'x' });
    await finished(server, id);
    const metrics = await (await server.fetch('/metrics')).text();
    expect(metrics).toContain('longhaul_runs_total{status="completed"} 1');
    expect(metrics).toMatch(/longhaul_http_request_seconds_count\{method="POST",status="201"\} 1/);
    const runs = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'run');
    expect(runs).toMatchObject([{ level: 30, sessionId: id, status: 'completed', stepCount: 1 }]);
    await server.call('PUT', '/api/settings', { compression: { strategy: 'middle-removal' } });
    expect(await server.call('GET', '/api/settings')).toMatchObject({
      compression: { strategy: 'middle-removal' },
    });
    const path = { compression: { strategy: './evil.js' } };
    const refused = await server.fetch('/api/settings', {
      method: 'PUT',
      body: JSON.stringify(path),
      headers: { 'content-type': 'application/json' },
    });
    expect(refused.status).toBe(400);
    expect(Object.keys(API_ROUTES).length).toBeGreaterThan(30);
  });

  it('answers pages of allowed origins, and limits the request rate of a token', async () => {
    await using server = await startTestServer({
      options: { origins: ['https://app.example'] },
      limits: { rate: { perSecond: 0.001, burst: 4 } },
    });
    const origin = { origin: 'https://app.example' };
    const preflight = await server.fetch('/api/sessions', {
      method: 'OPTIONS',
      headers: origin,
      token: null,
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin.origin,
    ]);
    const answer = await server.fetch('/api/sessions', { headers: origin });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin.origin]);
    for (let count = 0; count < 3; count += 1) expect((await server.fetch('/healthz')).status).toBe(200);
    const limited = await server.fetch('/healthz');
    expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(await limited.json()).toMatchObject({ error: { code: 'rate_limited', retryable: true } });
  });

  it('stops gracefully: refuses runs, lets a step finish, sends resync to readers', async () => {
    const go = gate();
    const server = await startTestServer({
      limits: { stopGraceMs: 60_000 },
      play: (_, { signal }) => pieces('last words', { pause: () => go.wait(signal) }),
    });
    await using _server = server;
    const [id, other] = [await server.newSession(), await server.newSession()];
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'x' });
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    await stream.until(isEvent('llm:chunk'));
    const stopped = server.server.stop();
    const refused = await server.fetch(`/api/sessions/${other}/messages`, {
      method: 'POST',
      body: '{"content":"y"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect((await server.fetch('/readyz')).status).toBe(503);
    go.open();
    await stopped;
    await stream.ended;
    expect(stream.blocks.at(-1)).toEqual({ event: 'resync', data: '{"reason":"stopping"}' });
    expect(stream.events.at(-2)).toMatchObject({ type: 'run:finished', status: 'completed' });
    await expect(server.fetch('/healthz')).rejects.toThrow();
  });

  it('interrupts a step that outlasts the grace time, and resumes it after a restart', async () => {
    const server = await startTestServer({
      limits: { stopGraceMs: 50 },
      play: (_, { signal }) => pieces('never', { pause: () => gate().wait(signal) }),
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'x' });
    await server.server.stop();
    expect((await server.store.listUnfinishedRuns({ limit: 9 })).map(({ sessionId }) => sessionId)).toEqual([
      id,
    ]);
    await server.store[Symbol.asyncDispose]();
    await using again = await startTestServer({ folder: server.folder });
    expect(await again.server.resumeInterrupted()).toEqual([id]);
    await expect
      .poll(async () => (await again.call('GET', `/api/sessions/${id}`))['state'])
      .toBe('completed');
    await server[Symbol.asyncDispose]();
  });

  it('closes a connection that never completes its request', async () => {
    await using server = await startTestServer({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 } });
    const { connect } = await import('node:net');
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /api/sess');
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    await once(socket, 'close');
    expect(answer).toContain('408');
  });

  it('answers 408 to a body that stops arriving, and closes the connection', async () => {
    await using server = await startTestServer({ limits: { bodyStallMs: 200 } });
    const { connect } = await import('node:net');
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      `POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"task":`,
    );
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
  });
});

it('refuses a message that allows a tool which the agent does not have, and stores nothing', async () => {
  await using server = await startTestServer();
  const id = await server.newSession();
  const refused = await server.fetch(`/api/sessions/${id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Look.', tools: ['nothing*'] }),
  });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toMatch(
    /allows the tool \\"nothing\*\\", but the agent has no tool with this name/,
  );
  expect(await server.call('GET', `/api/sessions/${id}`)).toMatchObject({ queued: 0, lastEvent: 0 });
});
