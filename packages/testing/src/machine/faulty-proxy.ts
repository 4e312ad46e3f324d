import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a server on this machine that can be slow, silent or broken. It ends with the test. */
export interface FaultyProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that were made so far. */
  readonly count: number;
  /** New connections go to another port of this machine. */
  redirect(port: number): void;
  /** Each piece arrives this much later, in both directions. */
  delay(ms: number): void;
  /** Ends all connections with a reset. New ones work. */
  reset(): void;
  /** Drops all data, also of new connections, until `restore`. Neither side notices. */
  drop(): void;
  /** New connections work again. Those that were silent stay silent for good. */
  restore(): void;
}

interface Pair {
  client: Socket;
  server: Socket;
  isSilent: boolean;
}

/** Starts a proxy before a port of this machine. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  let target = port;
  let delayMs = 0;
  let isDropping = false;
  let count = 0;
  const listener = createServer((client) => {
    count += 1;
    const pair: Pair = { client, server: connect(target, '127.0.0.1'), isSilent: isDropping };
    pairs.add(pair);
    for (const [from, to] of [
      [client, pair.server],
      [pair.server, client],
    ] as const) {
      from.setNoDelay(true);
      const pass = (act: () => void) => {
        const soon = () => void (!pair.isSilent && !to.destroyed && act());
        if (delayMs === 0) soon();
        else setTimeout(soon, delayMs);
      };
      from.on('data', (bytes) => pass(() => to.write(bytes)));
      from.on('end', () => pass(() => to.end()));
      // A silent connection does not tell one side that the other one is gone.
      from.on('error', () => pass(() => to.destroy()));
      from.on('close', () => pairs.delete(pair));
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    get count() {
      return count;
    },
    redirect(other) {
      target = other;
    },
    delay(ms) {
      delayMs = ms;
    },
    reset() {
      for (const { client, server } of pairs) {
        client.resetAndDestroy();
        server.destroy();
      }
    },
    drop() {
      isDropping = true;
      for (const pair of pairs) pair.isSilent = true;
    },
    restore() {
      isDropping = false;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}
