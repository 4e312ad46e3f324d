import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Environment,
  type LoginStorage,
  logIn,
  loginAddress,
  type ServerSettings,
} from '../src/index.ts';
import { LoginCallback } from '../src/login/login-callback.ts';
import { AuthServer } from './auth-server.ts';
import { callOnce, openRun, resultsOf } from './run-with-servers.ts';

let server: AuthServer;
let stored: Map<string, unknown>;
let logins: LoginStorage;
const { signal } = new AbortController();

beforeEach(async () => {
  server = await AuthServer.open();
  stored = new Map();
  logins = {
    get: async (address) => stored.get(address),
    put: async (address, login) => void stored.set(address, structuredClone(login)),
  };
});
afterEach(() => server[Symbol.asyncDispose]());

/** A browser that follows all redirects. */
async function browse(address: URL): Promise<void> {
  await fetch(address);
}

function logInWith(open: (address: URL) => Promise<void>, url = server.url): Promise<boolean> {
  return logIn({ settings: { url }, logins, host: process.env, version: '0', open, signal });
}

function tokens(): { access_token: string; refresh_token: string } {
  return (stored.get(loginAddress(server.url)) as { tokens: ReturnType<typeof tokens> }).tokens;
}

/** The results and warnings of a run that calls the server once. */
async function greeted(settings: object = {}): Promise<string[]> {
  const web = { url: server.url, ...settings };
  await using served = await openRun({ web }, callOnce('web_hello'), { pool: { logins } });
  await served.run.run('Go');
  const warnings = served.run.of('context:warning').map(({ message }) => message);
  return warnings.length > 0 ? warnings : resultsOf(served);
}

const NEEDS_LOGIN =
  'The MCP server web needs a login. Run: longhaul mcp login web. Its tools are missing in this run.';

it('a server that wants a login is a warning, which names the command', async () => {
  expect(await greeted()).toEqual([NEEDS_LOGIN]);
  expect(server.clients.size).toBe(0);
});

it('a login registers a client, and its tokens authorize the requests of runs', async () => {
  const seen: URL[] = [];
  const open = async (address: URL) => {
    seen.push(address);
    await browse(address);
  };
  expect(await logInWith(open)).toBe(true);
  expect(seen[0]?.searchParams.get('code_challenge_method')).toBe('S256');
  expect([...server.clients.values()]).toMatchObject([{ client_name: 'Longhaul' }]);
  server.seen.length = 0;
  expect(await greeted()).toEqual(['hello']);
  expect(new Set(server.seen)).toEqual(new Set([`Bearer ${tokens().access_token}`]));
});

it('expired tokens are renewed in a run, and stored', async () => {
  await logInWith(browse);
  const before = tokens();
  server.expire();
  expect(await greeted()).toEqual(['hello']);
  expect(server.renewals).toBe(1);
  expect(tokens().access_token).not.toBe(before.access_token);
  expect(await greeted()).toEqual(['hello']);
  expect(server.renewals).toBe(1);
});

it('tokens that another process has renewed are used', async () => {
  await logInWith(browse);
  const steps = [...callOnce('web_hello'), ...callOnce('web_hello')];
  await using served = await openRun({ web: { url: server.url } }, steps, { pool: { logins } });
  await served.run.run('Go');
  server.expire();
  expect(await greeted()).toEqual(['hello']);
  await served.run.run('Again');
  expect(resultsOf(served)).toEqual(['hello', 'hello']);
  expect(server.renewals).toBe(1);
});

it('a login that was withdrawn must be repeated', async () => {
  await logInWith(browse);
  server.revoke();
  expect(await greeted()).toEqual([NEEDS_LOGIN]);
  expect(await greeted()).toEqual([NEEDS_LOGIN]);
  expect(server.clients.size).toBe(1);
  expect(await logInWith(browse)).toBe(true);
  expect(await greeted()).toEqual(['hello']);
});

it('a header Authorization of the settings is used in place of a login', async () => {
  await logInWith(browse);
  const headers = { authorization: 'Bearer mine' };
  expect((await greeted({ headers }))[0]).toContain('refuses the header Authorization of its settings');
  const attempt = logIn({
    settings: { url: server.url, headers },
    logins,
    host: {},
    version: '0',
    open: browse,
    signal,
  });
  await expect(attempt).rejects.toMatchObject({ code: 'usage' });
});

it('a login that is refused, or comes back without the right state, stores nothing', async () => {
  server.refuses = true;
  const forged = async (address: URL) => {
    const back = new URL(address.searchParams.get('redirect_uri') ?? '');
    for (const query of ['?code=x', '?code=x&state=guessed']) {
      expect((await fetch(new URL(query, back))).status).toBe(400);
    }
    expect((await fetch(new URL('/other', back))).status).toBe(404);
    await browse(address);
  };
  await expect(logInWith(forged)).rejects.toThrow('The login was refused: access_denied');
  expect(stored.size).toBe(0);
});

it('a login ends when the person stops waiting', async () => {
  const stop = new AbortController();
  const open = async () => stop.abort(new Error('enough'));
  const attempt = logIn({
    settings: { url: server.url },
    logins,
    host: {},
    version: '0',
    open,
    signal: stop.signal,
  });
  await expect(attempt).rejects.toThrow('enough');
});

describe('a client that was registered before', () => {
  const SECRET = 'secret-of-the-client';
  const host = { ...process.env, CLIENT_SECRET: SECRET };
  const oauth = { clientId: 'ours', clientSecretEnv: 'CLIENT_SECRET' };

  beforeEach(() => {
    // The port of an address of this machine may differ.
    server.register({ client_id: 'ours', client_secret: SECRET }, 7777);
  });

  const register = (settings: ServerSettings['oauth'] = oauth, env: Environment = host) =>
    logIn({
      settings: { url: server.url, oauth: settings },
      logins,
      host: env,
      version: '0',
      open: browse,
      signal,
    });

  /** The results and warnings of a run that calls the server once. */
  async function greetedAs(settings: ServerSettings['oauth'], env: Environment = host): Promise<string[]> {
    const web = { url: server.url, oauth: settings };
    await using served = await openRun({ web }, callOnce('web_hello'), { pool: { logins, host: env } });
    await served.run.run('Go');
    const warnings = served.run.of('context:warning').map(({ message }) => message);
    return warnings.length > 0 ? warnings : resultsOf(served);
  }

  it('logs in and renews its tokens, and its secret is not stored', async () => {
    expect(await register({ ...oauth, scope: 'read write' })).toBe(true);
    expect(server.scopes).toEqual([['read', 'write']]);
    expect([...server.clients.keys()]).toEqual(['ours']);
    expect(JSON.stringify([...stored])).toContain('"client_id":"ours"');
    server.expire();
    expect(await greetedAs(oauth)).toEqual(['hello']);
    expect(server.renewals).toBe(1);
    expect(JSON.stringify([...stored])).not.toContain(SECRET);
  });

  it('whose secret is wrong or missing cannot log in, and nothing is stored', async () => {
    await expect(register(oauth, { CLIENT_SECRET: 'wrong' })).rejects.toThrow('The login has failed');
    await expect(register(oauth, {})).rejects.toThrow('The variable CLIENT_SECRET is not set.');
    await expect(register({ clientSecretEnv: 'CLIENT_SECRET' })).rejects.toThrow('needs an `oauth.clientId`');
    expect(stored.size).toBe(0);
  });

  it('does not use the tokens of another client', async () => {
    await logInWith(browse);
    server.seen.length = 0;
    expect(await greetedAs(oauth)).toEqual([NEEDS_LOGIN]);
    expect(new Set(server.seen)).toEqual(new Set([undefined]));
  });

  it('whose port is taken is an error that names the port', async () => {
    await using taken = await LoginCallback.open();
    const { port } = new URL(taken.address);
    await expect(register({ ...oauth, callbackPort: Number(port) })).rejects.toThrow(
      `on port ${port} (\`oauth.callbackPort\`)`,
    );
  });
});

describe('a hostile server', () => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://far.example/login', 'vscode://x'])(
    'cannot make the browser open %s',
    async (endpoint) => {
      const opened: URL[] = [];
      await using hostile = await hostileLogin(endpoint);
      await expect(
        logInWith(async (address) => void opened.push(address), hostile.url),
      ).rejects.toMatchObject({ code: 'mcp_unavailable' });
      expect(opened).toEqual([]);
    },
  );

  it('gets no tokens of another server, whose name it has', async () => {
    await logInWith(browse);
    await using other = await AuthServer.open();
    expect((await greeted({ url: other.url }))[0]).toContain('needs a login');
    expect(new Set(other.seen)).toEqual(new Set([undefined]));
  });
});

it('a server that registers no clients is an error that says what to do', async () => {
  await using other = await hostileLogin('https://login.example', { registers: false });
  await expect(logInWith(browse, other.url)).rejects.toThrow('register one there, and set `oauth.clientId`');
});

it('a server without a login says so', async () => {
  const open = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'x', version: '1' },
      };
      response.writeHead(request.method === 'POST' ? 200 : 405, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
    });
  });
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const { port } = open.address() as AddressInfo;
  expect(await logInWith(browse, `http://127.0.0.1:${port}/mcp`)).toBe(false);
  open.closeAllConnections();
  await new Promise((resolve) => open.close(resolve));
});

/** A server whose metadata names an endpoint for the login. */
async function hostileLogin(
  endpoint: string,
  { registers = true } = {},
): Promise<AsyncDisposable & { url: string }> {
  const http = createServer((request, response) => {
    const { origin } = new URL(`http://${request.headers.host}`);
    const send = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url?.includes('oauth-authorization-server') === true)
      return send(200, {
        issuer: origin,
        authorization_endpoint: endpoint,
        token_endpoint: `${origin}/token`,
        ...(registers && { registration_endpoint: `${origin}/register` }),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    if (request.url === '/register')
      return send(201, { client_id: 'x', redirect_uris: ['http://127.0.0.1/callback'] });
    return send(request.url === '/mcp' ? 401 : 404, {});
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
