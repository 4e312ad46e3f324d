import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bundleForBrowser, findBun, findChromium, findNode20, lacks } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSession } from './read-session.ts';

const SCRIPT = fileURLToPath(new URL('./read-session.ts', import.meta.url));
const INDEX = fileURLToPath(new URL('../src/index.ts', import.meta.url));
const EXPECTED = '1 ä€😀, 2 ä€😀, 3 ä€😀, 4 ä€😀, 5 ä€😀, 6 ä€😀; session_not_found';

const MAX_GZIP_BYTES = 25_000;

const run = promisify(execFile);

/** Sends two events per connection, in pieces that split characters, then ends the connection. */
async function sendEvents(response: ServerResponse, after: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const frames = [after + 1, after + 2].map((number) => {
    const event = { type: 'context:warning', message: 'ä€😀', sessionId: 's', at: 0, number };
    return `id: ${number}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`;
  });
  const bytes = Buffer.from(frames.join(''));
  for (let at = 0; at < bytes.length; at += 31) {
    response.write(bytes.subarray(at, at + 31));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

describe('the client, which uses no Node.js API', () => {
  let server: Server;
  let page = '';
  /** The result that the page sends. */
  const shown = Promise.withResolvers<string>();
  let baseUrl = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://x');
      if (url.pathname === '/')
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      else if (url.pathname === '/shown') text(request).then(shown.resolve, shown.reject);
      else if (url.pathname.endsWith('/events'))
        void sendEvents(response, Number(url.searchParams.get('after')));
      else {
        const error = { code: 'session_not_found', message: 'There is no such session.', retryable: false };
        response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    baseUrl = `http://127.0.0.1:${address.port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('bundles for a browser without imports, under 25 kB gzipped', async () => {
    const bundle = await bundleForBrowser(INDEX);
    const bytes = gzipSync(bundle.code, { level: 9 }).length;
    console.log(`@longhaul/client: ${bundle.code.length} bytes minified, ${bytes} gzipped`);
    expect([...bundle.imports, ...bundle.dynamicImports]).toEqual([]);
    expect(bundle.code).not.toMatch(/["']node:/);
    expect(bytes).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('runs in Node.js', async () => {
    expect(await readSession(baseUrl)).toBe(EXPECTED);
  });

  it('runs in Bun', async ({ skip }) => {
    const bun = await findBun();
    if (bun === undefined) return lacks('bun', 'no working Bun was found', skip);
    const { stdout } = await run(bun, ['--conditions=longhaul-src', SCRIPT, baseUrl]);
    expect(stdout.trim()).toBe(EXPECTED);
  });

  it('runs in Node.js 20', async ({ skip }) => {
    const node = await findNode20();
    if (node === undefined) return lacks('node20', 'there is no Node.js 20 on the PATH', skip);
    const { code } = await bundleForBrowser(SCRIPT);
    const running = run(node, ['-']);
    running.child.stdin?.end(`${code}\nScript.readSession(${JSON.stringify(baseUrl)}).then(console.log);`);
    expect((await running).stdout.trim()).toBe(EXPECTED);
  });

  it('runs in a browser', async ({ skip }) => {
    const chromium = await findChromium();
    if (chromium === undefined) return lacks('chromium', 'no working Chromium was found', skip);
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-client-'));
    try {
      const { code } = await bundleForBrowser(SCRIPT);
      const show = `Script.readSession(${JSON.stringify(baseUrl)}).catch(String).then((text) => fetch('/shown', { method: 'POST', body: text }));`;
      page = `<!doctype html><body><script>${code}\n${show}</script></body>`;
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`];
      const browser = execFile(chromium, [...flags, `${baseUrl}/`]);
      const ended = new Promise((resolve) => browser.once('close', resolve));
      try {
        expect(await shown.promise).toBe(EXPECTED);
      } finally {
        browser.kill();
        await ended;
      }
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
