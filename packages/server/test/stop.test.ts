import { once } from 'node:events';
import { connect } from 'node:net';
import { stopClock } from '@longhaul/testing/clock';
import { expect, it } from 'vitest';
import { startTestServer } from './test-server.ts';

it('stops without waiting for a connection that has sent no request (a browser opens some in advance)', async () => {
  await using server = await startTestServer();
  const socket = connect(server.server.port, '127.0.0.1');
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  expect((await server.fetch('/healthz')).status).toBe(200);
  // The time after which the server closes all connections never passes.
  stopClock();
  await server.server.stop({ atOnce: true });
  await closed;
});
