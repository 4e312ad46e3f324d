// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { authorizedFetch } from '../data/authorized-fetch.ts';
import { Connection } from '../data/connection.ts';
import { Access } from './access.ts';

/** A server with one token of its own, codes and tokens of the page. */
class FakeServer {
  needsToken = true;
  isUp = true;
  readonly codes = new Set(['code-1']);
  readonly pageTokens = new Set<string>();
  requests: { path: string; token: string | undefined }[] = [];

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const path = String(input);
    const token = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? undefined;
    this.requests.push({ path, token });
    if (!this.isUp) throw new TypeError('fetch failed');
    if (path === '/healthz') return json(200, { status: 'ok' });
    if (path === '/api/page/session') return this.#signIn(token, JSON.parse(String(init.body)));
    if (this.needsToken && (token === undefined || !this.pageTokens.has(token))) return refused();
    return json(200, { sessions: [] });
  };

  #signIn(token: string | undefined, { code }: { code?: string }): Response {
    if (!this.needsToken) return json(201, {});
    const isRight = code === undefined ? token === 'server-token' : this.codes.delete(code);
    if (!isRight) return refused();
    const made = `page-${this.pageTokens.size + 1}`;
    this.pageTokens.add(made);
    return json(201, { token: made });
  }
}

const json = (status: number, body: object) => new Response(JSON.stringify(body), { status });
const refused = () => json(401, { error: { code: 'unauthorized', message: 'Wrong token.' } });

describe('access', () => {
  let server: FakeServer;
  const accesses: Access[] = [];
  const tab = async (): Promise<Access> => {
    const access = new Access();
    accesses.push(access);
    await access.start();
    return access;
  };
  const phase = (access: Access) => access.store.getState().phase;

  beforeEach(() => {
    server = new FakeServer();
    vi.stubGlobal('fetch', server.fetch);
    sessionStorage.clear();
    location.hash = '';
  });
  afterEach(() => {
    for (const access of accesses.splice(0)) access.close();
    vi.unstubAllGlobals();
  });

  it('exchanges the code of the address, and removes it before the first request', async () => {
    location.hash = '#code=code-1';
    const seen: string[] = [];
    vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
      seen.push(location.hash);
      return server.fetch(input, init);
    });
    const access = await tab();
    expect(phase(access)).toBe('open');
    expect(access.token).toBe('page-1');
    expect(sessionStorage.getItem('longhaul-token')).toBe('page-1');
    expect(seen).toEqual(['']);
  });

  it('asks for the token after a used code, and explains why', async () => {
    location.hash = '#code=used';
    const access = await tab();
    expect(access.store.getState()).toMatchObject({
      phase: 'asking',
      problem: expect.stringContaining('link'),
    });
  });

  it('needs no token with --no-token', async () => {
    server.needsToken = false;
    const access = await tab();
    expect(phase(access)).toBe('open');
    expect(access.token).toBeUndefined();
    expect(sessionStorage).toHaveLength(0);
  });

  it('exchanges the token that a person types, and never keeps it', async () => {
    const access = await tab();
    expect(phase(access)).toBe('asking');
    await access.signIn('  server-token\n');
    expect(phase(access)).toBe('open');
    expect(sessionStorage.getItem('longhaul-token')).toBe('page-1');
  });

  it.each(['wrong', 'two words', 'schlüssel', 'a\u0000b'])('does not accept %j', async (typed) => {
    const access = await tab();
    await access.signIn(typed);
    expect(access.store.getState()).toMatchObject({ phase: 'asking', problem: expect.any(String) });
  });

  it('keeps the token over a reload', async () => {
    await (await tab()).signIn('server-token');
    expect(phase(await tab())).toBe('open');
  });

  it('reports that the server does not answer, and tries again', async () => {
    server.isUp = false;
    const access = await tab();
    expect(phase(access)).toBe('unreachable');
    server.isUp = true;
    await access.retry();
    expect(phase(access)).toBe('asking');
  });

  it('gets the token from another tab of this browser', async () => {
    await (await tab()).signIn('server-token');
    sessionStorage.clear();
    const second = await tab();
    expect(phase(second)).toBe('open');
    expect(second.token).toBe('page-1');
  });

  it('gives a new token to the tabs that ask for one', async () => {
    const [first, second] = [await tab(), await tab()];
    await first.signIn('server-token');
    await expect.poll(() => phase(second)).toBe('open');
  });

  it('lets requests wait for another token when the server refuses the old one', async () => {
    const access = await tab();
    await access.signIn('server-token');
    const send = authorizedFetch(access, new Connection());
    server.pageTokens.clear();
    const first = send('/api/settings', { method: 'PUT', body: '{"a":1}' });
    await expect.poll(() => phase(access)).toBe('asking');
    expect(access.store.getState().wasOpen).toBe(true);
    const second = send('/api/other');
    await access.signIn('wrong');
    await access.signIn('server-token');
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    const other = server.requests.filter(({ path }) => path === '/api/other');
    expect(other).toEqual([{ path: '/api/other', token: 'page-1' }]);
  });

  it('ends a waiting request when its signal aborts', async () => {
    const access = await tab();
    const ends = new AbortController();
    const waiting = authorizedFetch(access, new Connection())('/api/settings', { signal: ends.signal });
    ends.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});
