import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { holdClosedPort } from '@longhaul/testing/machine';
import { afterEach, expect, it } from 'vitest';
import { checkCluster } from './cluster.ts';

const OPTIONS = { secret: 'a secret of this cluster', version: '2.0.0' };
const started: Server[] = [];
afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

/** A server that lets those in who know the secret. */
async function serve({ headers = {} }: { headers?: Record<string, string> } = {}): Promise<string> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${OPTIONS.secret}`;
    response.writeHead(isKnown ? 200 : 401, headers).flushHeaders();
    if (!isKnown) response.end();
  });
  started.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const check = async (server: { address?: string; version?: string }, options: object = {}) =>
  await checkCluster(
    { servers: [{ machine: 'a', isDriving: true, version: OPTIONS.version, ...server }] },
    { ...OPTIONS, ...options },
  );

it('reports nothing about servers that are as they should be, and those without an address', async () => {
  expect(await check({ address: await serve() })).toEqual([]);
  expect(await check({})).toEqual([]);
});

it('reports another version', async () => {
  expect(await check({ version: '1.9.0' })).toMatchObject([
    { status: 'missing', detail: '1 server of version 1.9.0 on a; this program has version 2.0.0' },
  ]);
});

it('reports another secret, and a missing one', async () => {
  const address = await serve();
  expect(await check({ address }, { secret: 'another secret' })).toMatchObject([
    { detail: `the server ${address} of a has another cluster.secret than this machine` },
  ]);
  expect(await check({ address }, { secret: null })).toMatchObject([
    { detail: expect.stringContaining('this machine has none') },
  ]);
});

it('reports an address that cannot be reached', async () => {
  await using closed = await holdClosedPort();
  expect(await check({ address: `http://127.0.0.1:${closed.port}` })).toMatchObject([
    { detail: expect.stringMatching(/cannot be reached from this machine \(.*ECONNREFUSED/) },
  ]);
});

it('reports a clock that differs', async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  expect(await check({ address: await serve({ headers: { date } }) })).toMatchObject([
    { detail: expect.stringMatching(/is 3\d+ seconds ahead of that of this machine/) },
  ]);
});
