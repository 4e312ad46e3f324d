import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

interface ClosedPort extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
}

/**
 * Holds a port of 127.0.0.1 that refuses connections. The port of a closed server could be given to another process.
 * This one is the near end of an open connection, so no process can listen on it until it is disposed of.
 */
export async function holdClosedPort(): Promise<ClosedPort> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: serverPort } = server.address() as AddressInfo;
  const near = connect(serverPort, '127.0.0.1');
  const [[far]] = await Promise.all([once(server, 'connection'), once(near, 'connect')]);
  const port = near.localPort ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      near.destroy();
      far.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
