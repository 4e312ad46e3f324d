import { expect, it } from 'vitest';
import type { ReplayService } from '../src/index.ts';
import { gate, startTestServer, type TestServer } from './test-server.ts';

type Options = Parameters<ReplayService['replay']>[1];

const REPORT = { name: 'x.jsonl', windows: [1_000], strategies: ['s'], notes: [], results: [] };

/** A replay that ends when the test opens the gate or the signal aborts, and records its options. */
function slowReplay() {
  const seen: Options[] = [];
  const open = gate();
  const replay: ReplayService = {
    async replay(_, options) {
      seen.push(options);
      await open.wait(options.signal);
      return options.wantsPage ? { report: REPORT, page: '<script>alert(1)</script>' } : { report: REPORT };
    },
  };
  return { seen, open, replay };
}

const post = (server: TestServer, query = '', init: RequestInit = {}) =>
  server.fetch(`/api/replay${query}`, {
    method: 'POST',
    body: 'recorded',
    headers: { 'content-type': 'application/octet-stream' },
    ...init,
  });

it('answers with the report, or with the page as a download that a browser does not run', async () => {
  const { seen, open, replay } = slowReplay();
  open.open();
  await using server = await startTestServer({ options: { replay } });
  const json = await post(server, '?name=x.jsonl&windows=16000,32000,16000&strategies=a,%20b');
  expect([json.status, await json.json()]).toEqual([200, REPORT]);
  expect(seen[0]).toMatchObject({ name: 'x.jsonl', windows: [16_000, 32_000], strategies: ['a', 'b'] });
  const page = await post(server, `?format=html&name=${encodeURIComponent('../a"b\r\n.jsonl')}`);
  expect(await page.text()).toContain('<script>');
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-disposition': 'attachment; filename="replay-.._a_b_.html"',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
});

it('runs one replay at a time, and ends it when the client leaves', async () => {
  const { seen, open, replay } = slowReplay();
  await using server = await startTestServer({ options: { replay } });
  const leaving = new AbortController();
  const first = post(server, '', { signal: leaving.signal }).catch((error: Error) => error.name);
  await expect.poll(() => seen.length).toBe(1);
  const second = await post(server);
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5']);
  leaving.abort();
  expect(await first).toBe('AbortError');
  await expect.poll(() => seen[0]?.signal.aborted).toBe(true);
  open.open();
  await expect.poll(async () => (await post(server)).status).toBe(200);
});

it.each([
  '?windows=12',
  '?windows=abc',
  '?windows=1000,',
  '?format=pdf',
  '?strategies=',
  '?path=/etc/passwd',
])('refuses %s', async (query) => {
  const { replay } = slowReplay();
  await using server = await startTestServer({ options: { replay } });
  expect((await post(server, query)).status).toBe(400);
});

it('says how to replay if this server does not', async () => {
  await using server = await startTestServer();
  const response = await post(server);
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('longhaul replay FILE'),
  ]);
});
