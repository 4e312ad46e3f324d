import { Socket } from 'node:net';
import pg from 'pg';

/**
 * Ends a connection on which a question has had no answer for a time, so that its queries fail like those of a lost
 * connection. A router that drops a connection tells nobody, and the system notices it after a quarter of an hour.
 */
export function endIfSilent(client: pg.ClientBase, silentMs: number): void {
  const socket = socketOf(client);
  if (socket === undefined) return;
  let askedUntil = socket.bytesWritten;
  socket.on('data', () => {
    askedUntil = socket.bytesWritten;
  });
  socket.setTimeout(silentMs, () => {
    if (socket.bytesWritten > askedUntil)
      socket.destroy(Object.assign(new Error('The server has not answered.'), { code: 'ETIMEDOUT' }));
  });
}

/** For a client whose next query may take any time. */
export function allowSilence(client: pg.ClientBase): void {
  socketOf(client)?.setTimeout(0);
}

function socketOf(client: pg.ClientBase): Socket | undefined {
  const stream = client instanceof pg.Client ? client.connection.stream : undefined;
  return stream instanceof Socket ? stream : undefined;
}
