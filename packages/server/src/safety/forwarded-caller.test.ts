import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createCallerReader } from './forwarded-caller.ts';

const read = createCallerReader(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

function request(remoteAddress: string | undefined, headers: Record<string, string>): IncomingMessage {
  // The reader uses only these properties.
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const addressOf = (peer: string | undefined, forwarded: string) =>
  read(request(peer, { 'x-forwarded-for': forwarded })).address;

it.each([
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['127.0.0.1', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
  ['127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ['127.0.0.1', '203.0.113.7:80', '203.0.113.7'],
  ['fd00::5', '203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '', '127.0.0.1'],
  ['127.0.0.1', 'unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7, unknown, 10.1.2.3', '10.1.2.3'],
  ['203.0.113.9', '1.1.1.1', '203.0.113.9'],
  [undefined, '1.1.1.1', ''],
])('takes the client of the peer %s and the header %j', (peer, forwarded, client) => {
  expect(addressOf(peer, forwarded)).toBe(client);
});

it('takes the host that a trusted proxy reports, and no other', () => {
  const headers = { host: 'internal:4140', 'x-forwarded-host': 'evil.example, team.example' };
  expect(read(request('10.0.0.1', headers)).host).toBe('team.example');
  expect(read(request('203.0.113.9', headers)).host).toBe('internal:4140');
});

it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', 'fd00::/129', '10.0.0.0/-1'])(
  'refuses %j',
  (proxy) => {
    expect(() => createCallerReader([proxy])).toThrow(/server.trustProxy contains/);
  },
);
