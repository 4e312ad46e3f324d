import { API_ROUTES, errorBodySchema } from '@longhaul/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, TOKEN } from './test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ options: { origins: ['https://app.example'] } });
});
afterEach(() => server[Symbol.asyncDispose]());

const newCode = () => new URL(server.server.newPageAddress()).hash.replace('#code=', '');

/** Signs in as a page would: without the token of the server. */
function signIn(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return server.fetch('/api/page/session', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    token: null,
  });
}

async function signedIn(response: Response): Promise<{ token: string; expiresAt: number }> {
  expect(response.status).toBe(201);
  const { token = '', expiresAt = 0 } = API_ROUTES.createPageSession.response.parse(await response.json());
  return { token, expiresAt };
}

const codeOf = async (response: Response) => {
  const { error } = errorBodySchema.parse(await response.json());
  return [response.status, error.code];
};

describe('signing a page in', () => {
  it('exchanges the code of the address for a token of the page, once', async () => {
    const address = server.server.newPageAddress();
    expect(address).toMatch(new RegExp(`^${server.url}/#code=[\\w-]{43}$`));
    const code = newCode();
    expect((await server.fetch('/api/sessions', { token: null })).status).toBe(401);
    const { token, expiresAt } = await signedIn(await signIn({ code }));
    expect(expiresAt).toBeGreaterThan(Date.now());
    const listed = await server.fetch('/api/sessions', { token });
    expect([listed.status, await listed.json()]).toEqual([200, { sessions: [] }]);
    expect(await codeOf(await signIn({ code }))).toEqual([401, 'unauthorized']);
    expect(token).not.toContain(TOKEN);
  });

  it('exchanges the token of the server, so that the page does not keep it', async () => {
    const { token } = await signedIn(await signIn({}, { authorization: `Bearer ${TOKEN}` }));
    expect(token).toMatch(/^lhp_/);
    expect((await server.fetch('/api/models', { token })).status).toBe(200);
    expect((await server.fetch('/api/models', { token: `${token}x` })).status).toBe(401);
  });

  it('refuses a wrong code, a missing token, and the token of a page', async () => {
    const { token } = await signedIn(await signIn({}, { authorization: `Bearer ${TOKEN}` }));
    const refused = [
      await signIn({ code: 'x'.repeat(43) }),
      await signIn({ code: TOKEN }),
      await signIn({ code: 'wrong' }, { authorization: `Bearer ${TOKEN}` }),
      await signIn({}),
      await signIn({}, { authorization: `Bearer ${TOKEN.slice(1)}` }),
      await signIn({}, { authorization: `Bearer ${token}` }),
    ];
    for (const response of refused) expect(await codeOf(response)).toEqual([401, 'unauthorized']);
  });

  it.each([
    ['of another site', { origin: 'https://evil.example' }],
    ['of another port of this machine', { origin: 'http://127.0.0.1:3000' }],
    ['of an origin that may use the API', { origin: 'https://app.example' }],
    ['in a sandbox', { origin: 'null' }],
    ['without Origin', { 'sec-fetch-site': 'same-site' }],
    ['with the name of another host', { host: 'evil.example' }],
  ])('refuses a page %s, and leaves the code valid', async (_, headers) => {
    const code = newCode();
    // `fetch` sets Host itself, so that case is sent by its own origin.
    const sent = 'host' in headers ? { origin: `http://${headers.host}` } : headers;
    const response = await signIn({ code }, sent);
    expect(await codeOf(response)).toEqual([403, 'forbidden']);
    const own = await signIn({ code }, { origin: server.url, 'sec-fetch-site': 'same-origin' });
    expect(own.status).toBe(201);
    expect(own.headers.get('access-control-allow-origin')).toBeNull();
    expect(own.headers.get('set-cookie')).toBeNull();
  });

  it('limits the attempts from one address, and reports how long to wait', async () => {
    const answers: Response[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      answers.push(await signIn({ code: `guess ${attempt}` }));
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('writes no code and no token to the log', async () => {
    const code = newCode();
    const { token } = await signedIn(await signIn({ code }));
    await signIn({ code });
    await server.fetch(`/#code=${code}`, { token });
    const log = server.log.join('\n');
    expect(log).toContain('/api/page/session');
    for (const secret of [code, token, TOKEN]) expect(log).not.toContain(secret);
  });
});

it('needs no code and no token if the server requires none', async () => {
  await using open = await startTestServer({ options: { token: undefined } });
  expect(open.server.newPageAddress()).toBe(`${open.url}/`);
  const json = { 'content-type': 'application/json' };
  const signedIn = await open.fetch('/api/page/session', {
    method: 'POST',
    headers: json,
    body: '{}',
    token: null,
  });
  expect([signedIn.status, await signedIn.json()]).toEqual([201, {}]);
  expect((await open.fetch('/api/sessions', { token: null })).status).toBe(200);
  const foreign = await open.fetch('/api/page/session', {
    method: 'POST',
    headers: { origin: 'https://evil.example', ...json },
    body: '{}',
  });
  expect(foreign.status).toBe(403);
});

it('opens a server that listens on every address by its loopback address', async () => {
  await using everywhere = await startTestServer({ options: { host: '0.0.0.0' } });
  expect(everywhere.server.newPageAddress()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=/);
});
