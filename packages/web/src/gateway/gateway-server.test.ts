// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Access } from '../access/access.ts';
import { GATEWAY_PLACE } from '../access/access-place.ts';
import { GatewayServer } from './gateway-server.ts';

/** Answers by path. A page token is refused once it is in `ended`. */
const answers = new Map<string, () => Response>();
const sent: { path: string; token: string | null }[] = [];
const ended = new Set<string>();

beforeEach(() => {
  answers.clear();
  sent.length = 0;
  ended.clear();
  answers.set('/page/state', () => Response.json({}));
  sessionStorage.setItem('longhaul-token', 'one');
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    const token = new Headers(init.headers).get('authorization');
    sent.push({ path, token });
    if (path === '/page/session') return Response.json({ token: 'two' });
    const isEnded = [...ended].some((each) => token === `Bearer ${each}`);
    if (isEnded) return Response.json({ error: { message: 'Not signed in.' } }, { status: 401 });
    return answers.get(path)?.() ?? new Response(null, { status: 404 });
  });
});
const accesses: Access[] = [];
afterEach(() => {
  for (const access of accesses.splice(0)) access.close();
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

async function open() {
  const access = new Access(GATEWAY_PLACE);
  accesses.push(access);
  await access.start();
  return { access, server: new GatewayServer(access) };
}

it('shows each state of the stream', async () => {
  const { server } = await open();
  answers.set('/page/events', () => new Response('data: {"startedAt":1}\n\ndata: {"startedAt":2}\n\n'));
  const reading = new AbortController();
  const seen: unknown[] = [];
  const isLost = Promise.withResolvers<void>();
  server.store.subscribe(({ state, isOnline }) => {
    seen.push([state?.startedAt, isOnline]);
    if (!isOnline) isLost.resolve();
  });
  void server.read(reading.signal);
  await isLost.promise;
  reading.abort();
  expect(seen).toEqual([
    [1, true],
    [2, true],
    [2, false],
  ]);
  expect(sent.at(-1)).toEqual({ path: '/page/events', token: 'Bearer one' });
});

it('fails with the reason of the gateway, and shows the new state after a change', async () => {
  const { server } = await open();
  answers.set('/page/settings', () =>
    Response.json({ error: { message: 'The disk is full.' } }, { status: 500 }),
  );
  await expect(server.change({ compactor: 'none' })).rejects.toThrow('The disk is full.');
  answers.set('/page/settings', () => Response.json({ startedAt: 3 }));
  await server.change({ compactor: 'none' });
  expect(server.store.getState().state?.startedAt).toBe(3);
});

it('asks for a token if its own has ended, and then sends the request again', async () => {
  const { access, server } = await open();
  ended.add('one');
  answers.set('/page/compaction?id=1.1', () => Response.json({ id: '1.1' }));
  const detail = server.compaction('1.1');
  await expect.poll(() => access.store.getState().phase).toBe('asking');
  await access.signIn('the-token');
  expect(await detail).toEqual({ id: '1.1' });
  expect(sent.at(-1)?.token).toBe('Bearer two');
});
