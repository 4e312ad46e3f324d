import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

const INDEX =
  '<!doctype html><title>Longhaul</title><script type="module" src="/assets/main-a1B2.js"></script>';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5_000))});`;
const SECRET = 'not for browsers';

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-page-'));
  const built = join(folder, 'dist');
  await mkdir(join(built, 'assets', 'below.js'), { recursive: true });
  await writeFile(join(folder, 'secret.js'), SECRET);
  await writeFile(join(built, '.env.json'), SECRET);
  await writeFile(join(built, 'private.pem'), SECRET);
  await symlink(join(folder, 'secret.js'), join(built, 'assets', 'link.js'));
  await writeFile(join(built, 'index.html'), INDEX);
  await writeFile(join(built, 'icon.svg'), '<svg/>');
  await writeFile(join(built, 'assets', 'main-a1B2.js'), SCRIPT);
  await writeFile(join(built, 'assets', 'main-a1B2.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(built, 'assets', 'main-a1B2.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(built, 'assets', 'main-a1B2.css'), 'body{}');
  await writeFile(join(built, 'assets', 'font-X.woff2'), 'font');
  server = await startTestServer({ options: { webFolder: built } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const open = (path: string, init: RequestInit = {}) => server.fetch(path, { ...init, token: null });

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a path as it is written, which `fetch` would normalize, and does not decompress the answer. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const sent = request(
    { host: '127.0.0.1', port: server.server.port, path, method, headers },
    async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    },
  );
  sent.once('error', reject).end();
  return promise;
}

describe('the page', () => {
  it('is served without a token, under a policy that lets no other page run or load it', async () => {
    const response = await open('/');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(INDEX);
    const policy = response.headers.get('content-security-policy') ?? '';
    const directives = new Map(
      policy.split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(Object.fromEntries(directives)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'img-src': "'self' blob: data:",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(policy).not.toContain('unsafe');
    const expected = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    };
    expect(Object.fromEntries(response.headers)).toMatchObject(expected);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect((await open('/api/sessions')).status).toBe(401);
  });

  it('is not sent again while the browser has it', async () => {
    const tag = (await open('/')).headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await open('/', { headers: { 'if-none-match': known } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await open('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it.each([
    ['/assets/main-a1B2.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/main-a1B2.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/font-X.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
  ])('has the file %s as %s', async (path, type, cache) => {
    const { status, headers } = await open(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, cache]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=1, br;q=0', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['', undefined],
  ])('has scripts compressed for Accept-Encoding %j', async (accepted, encoding) => {
    const { headers, body } = await raw('/assets/main-a1B2.js', { 'accept-encoding': accepted });
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes };
    expect(decode[(encoding ?? 'none') as keyof typeof decode](body).toString()).toBe(SCRIPT);
    expect(
      (await raw('/icon.svg', { 'accept-encoding': accepted })).headers['content-encoding'],
    ).toBeUndefined();
  });

  it.each([
    '/secret.js',
    '/../secret.js',
    '/assets/../../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/..%5csecret.js',
    '/assets/link.js',
    '/assets/below.js',
    '/assets/',
    '/assets',
    '/.env.json',
    '/private.pem',
    '/assets/main-a1B2.js.br',
    '/assets//main-a1B2.js',
    '//icon.svg',
    '/icon.svg/',
    '/icon.svg%00.js',
    '/assets/main-a1B2.js%00',
    '/index',
    '/sessions/1',
    '/api/unknown',
    '/v2/models',
    '/constructor',
    '/assets/x.constructor',
  ])('has nothing under %s, and the answer is an error in JSON', async (path) => {
    const { status, headers, body } = await raw(path);
    expect([status, headers['content-type']]).toEqual([404, expect.stringContaining('application/json')]);
    expect(JSON.parse(body.toString())).toMatchObject({ error: { code: 'not_found' } });
    expect(body.toString()).not.toContain(SECRET);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s', async (method) => {
    for (const path of ['/', '/assets/main-a1B2.js']) {
      const response = await open(path, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
    }
  });
});

describe('other sites', () => {
  const CROSS_SITE = { 'sec-fetch-site': 'cross-site' };
  const NAVIGATION = { ...CROSS_SITE, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it('can have a link to the page, but cannot load it or its files', async () => {
    expect((await raw('/', NAVIGATION)).status).toBe(200);
    const refused = [
      raw('/', CROSS_SITE),
      raw('/', { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }),
      raw('/', { ...NAVIGATION, host: 'evil.example' }),
      raw('/', NAVIGATION, 'POST'),
      raw('/assets/main-a1B2.js', NAVIGATION),
      raw('/assets/main-a1B2.js', { origin: 'https://evil.example' }),
      raw('/api/sessions', NAVIGATION),
      raw('/healthz', NAVIGATION),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 403));
  });
});

describe('a server', () => {
  it('explains how to build a missing page, and shows a new build without a restart', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'longhaul-page-'));
    await using other = await startTestServer({ options: { webFolder: join(empty, 'dist') } });
    const missing = await other.fetch('/', { token: null });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await missing.text()).toContain('npm run build');
    expect((await other.fetch('/assets/x.js', { token: null })).status).toBe(404);
    await mkdir(join(empty, 'dist'));
    await writeFile(join(empty, 'dist', 'index.html'), INDEX);
    expect(await (await other.fetch('/', { token: null })).text()).toBe(INDEX);
    await rm(empty, { recursive: true });
  });

  it('has no page without a folder', async () => {
    await using other = await startTestServer();
    const response = await other.fetch('/', { token: null });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  });
});
