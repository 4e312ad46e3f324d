import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '../src/http/read-body.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startBoth, startTestGateway } from './start-test-gateway.ts';

const HEAD = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

test.each([
  ['a chat', '/v1/chat/completions', true],
  ['a request that is streamed to its upstream', '/v1/embeddings', false],
])('answers 408 to %s whose body stops arriving, and closes the connection', async (_, path, isRead) => {
  await using both = await startBoth((_, response) => void response.end('{}'), { bodyStallMs: 200 });
  const socket = await opened(both.gateway.port, `POST ${path} HTTP/1.1\r\n${HEAD}{"model":`);
  const answer = (await readBody(socket, 1 << 20)).toString();
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"code":"request_timeout"');
  expect(answer).toMatch(/connection: close/i);
  expect(both.gateway.status().errors).toMatchObject([{ code: 'request_timeout' }]);
  if (isRead) expect(both.upstream.received).toEqual([]);
});

test('cuts a request whose headers stop arriving', async () => {
  await using both = await startBoth(() => {}, { headersTimeoutMs: 200 });
  const socket = await opened(both.gateway.port, 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n');
  expect((await readBody(socket, 1 << 20)).toString()).toMatch(/^HTTP\/1\.1 408 /);
});

test('does not blame the client while a slow upstream does not read', async () => {
  const released = Promise.withResolvers<void>();
  await using upstream = await startRecordingUpstream(
    (_, response) => void response.end('{}'),
    {},
    {
      beforeBody: () => released.promise,
    },
  );
  await using gateway = await startTestGateway(upstream.url, { bodyStallMs: 100 });
  const size = 32 << 20;
  const socket = await opened(
    gateway.port,
    `POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  );
  // The buffers of both connections are full, so the rest waits for the upstream for several times the limit.
  if (!socket.write(Buffer.alloc(size, 'x'))) setTimeout(released.resolve, 500);
  expect((await readBody(socket, 1 << 20)).toString()).toMatch(/^HTTP\/1\.1 200 /);
  expect(upstream.received[0]?.body).toHaveLength(size);
});
