import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Keeps one address for servers that end and are started again: the port of a server that ended may go to another process. */
interface ServerFront extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  /** The server that gets new connections. Closes the open ones. Undefined: every connection is closed at once. */
  passTo(url: string | undefined): void;
}

export async function startFront(url: string): Promise<ServerFront> {
  let target: string | undefined = url;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (target === undefined) return void near.destroy();
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    near.pipe(far).pipe(near);
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    passTo(next) {
      target = next;
      closeAll();
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}
