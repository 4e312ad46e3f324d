import type { Server } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';

/** Listens on a Unix socket. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });
}

/** Returns the port. @throws {LonghaulError} `usage` if the address is in use or cannot be bound. */
export async function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, address)));
    server.listen(address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no TCP address.');
  return bound.port;
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }) {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program listens there. Stop that program, or choose another port with --port'
      : `the system refuses it (${error.code}). Set --host to an address of this machine`;
  return new LonghaulError('usage', `The server cannot listen on ${host}:${port}: ${why}.`, { cause: error });
}
