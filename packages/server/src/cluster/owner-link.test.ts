import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { LeaseHolder } from '@longhaul/core';
import type { LonghaulEvent } from '@longhaul/protocol';
import { afterEach, expect, it } from 'vitest';
import { ClusterAddress } from './cluster-address.ts';
import { OwnerLink } from './owner-link.ts';
import { createStreamEndpoint } from './stream-endpoint.ts';

const SECRET = 'a-secret-of-the-cluster';
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const event = (number: number): LonghaulEvent => ({
  type: 'llm:thinking',
  sessionId: 's',
  at: 1,
  number,
});

/** A server that drives the session: what it emits, and how many listen to it. */
async function owner(secret = SECRET) {
  const listeners = new Set<(event: LonghaulEvent) => void>();
  const left = Promise.withResolvers<void>();
  const endpoint = createStreamEndpoint({
    secret,
    maxBytes: 1_000_000,
    async listen(_sessionId, onEvent) {
      listeners.add(onEvent);
      onEvent(event(1));
      return {
        [Symbol.dispose]() {
          listeners.delete(onEvent);
          left.resolve();
        },
      };
    },
  });
  const server = createServer((incoming, outgoing) => {
    if (!endpoint(incoming, outgoing)) outgoing.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  const emit = (number: number) => {
    for (const listener of listeners) listener(event(number));
  };
  return { address: `http://127.0.0.1:${port}`, emit, left: left.promise, listeners, server };
}

/** A link, whose session is driven at an address. */
function linked(address: string | undefined, runId = 'r1') {
  const place = { address, runId };
  const seen: number[] = [];
  let wake = () => {};
  const ended = Promise.withResolvers<void>();
  const link = new OwnerLink({
    cluster: new ClusterAddress({ secret: SECRET, address: 'http://127.0.0.1:1' }),
    sessionId: 's',
    store: {
      leaseHolder: async () =>
        ({ runId: place.runId, ...(place.address && { address: place.address }) }) as LeaseHolder,
    },
    onEvent: ({ number = 0 }) => {
      seen.push(number);
      wake();
    },
    onEnd: () => ended.resolve(),
  });
  const saw = async (count: number) => {
    while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return seen;
  };
  return { link, place, saw, ended: ended.promise };
}

it('gets the events of the server that drives the session, and follows it to another one', async () => {
  const [first, second] = [await owner(), await owner()];
  const { link, place, saw } = linked(first.address);
  await link.check();
  expect(await saw(1)).toEqual([1]);
  first.emit(2);
  expect(await saw(2)).toEqual([1, 2]);
  await link.check();
  expect(first.listeners.size).toBe(1);
  Object.assign(place, { address: second.address, runId: 'r2' });
  await link.check();
  await first.left;
  expect(await saw(3)).toEqual([1, 2, 1]);
  link.close();
  await second.left;
  expect(link.isLive).toBe(false);
});

it('says that the stream has ended, and opens it again', async () => {
  const { address, server } = await owner();
  const { link, saw, ended } = linked(address);
  await link.check();
  await saw(1);
  server.closeAllConnections();
  await ended;
  expect(link.isOpen).toBe(false);
  await link.check();
  expect(await saw(2)).toEqual([1, 1]);
  link.close();
});

it('ends at once where it is refused or nothing listens', async () => {
  const other = await owner('a-secret-of-another-cluster');
  for (const address of [other.address, 'http://127.0.0.1:9']) {
    const { link, ended } = linked(address);
    await link.check();
    await ended;
    expect(link.isOpen).toBe(false);
  }
  expect(other.listeners.size).toBe(0);
});

it('opens nothing to a program that is no server, nor to itself', async () => {
  const program = linked(undefined);
  await program.link.check();
  expect(program.link.isLive).toBe(false);
  const own = linked('http://127.0.0.1:1');
  await own.link.check();
  expect(own.link.isOpen).toBe(false);
  expect(own.link.isLive).toBe(true);
});
