import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';

/** Listens at a socket. Returns false if another process answers there. Replaces a socket that nobody listens at. */
export async function listenAlone(server: Server, path: string): Promise<boolean> {
  for (;;) {
    try {
      server.listen(path);
      await once(server, 'listening');
      return true;
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    }
    if (await isAnswered(path)) return false;
    await rm(path, { force: true });
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // Its process ended without removing it.
    return false;
  } finally {
    socket.destroy();
  }
}
