import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free port, sends the address to the parent process, and ends with it. */
export async function serveParent(server: Server): Promise<void> {
  // A connection that is closed just as a client uses it again would end the benchmark.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`);
  process.on('disconnect', () => process.exit());
}
