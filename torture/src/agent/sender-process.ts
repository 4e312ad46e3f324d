/**
 * A process that sends messages to a session at random times while other processes drive it. Its only argument is its
 * `SenderSettings` as JSON. It records each message before it sends it, and each acknowledgement. When restarted, it
 * sends unacknowledged messages again with the same ids. A line `cancel` on its standard input cancels the session's
 * run; it prints `cancelled` when the cancel is answered. It exits when its input ends, after all sent messages are
 * acknowledged.
 */
import './lease-time.ts';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, Runtime } from '@longhaul/core';
import type { UserMessageContentPart } from '@longhaul/protocol';
import { createSandboxDriver } from '@longhaul/sandbox';
import { seededRandom } from '@longhaul/scripted-model';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { type CancelLine, openLines, type QueueLine, readLines } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';

export interface SenderSettings {
  folder: string;
  sessionId: string;
  seed: number;
  /** Average time between two messages. */
  meanMs: number;
}

// The parent process is part of this package, so its argument is not validated.
const { folder, sessionId, seed, meanMs }: SenderSettings = JSON.parse(process.argv[2] ?? '{}');
const paths = sessionPaths(folder);
const known = readLines<QueueLine>(paths.queue);
const lines = openLines<QueueLine>(paths.queue, true);
const cancels = openLines<CancelLine>(paths.cancels, true);
const random = seededRandom(seed);
await using store = await openSqliteStore({ path: paths.database });
const runtime = new Runtime({
  approverFor: () => ALLOW_ALL,
  store,
  blobs: createFileBlobStore(paths.blobs),
  tools: [],
  // A cancel ends what a killed process has left.
  endProcess: (place) => createSandboxDriver(place.driver).end(place),
  openSandbox: notHere,
  driverFor: notHere,
  compression: { strategy: createStrategy('reactive-overflow', {}), auto: true, ledgerShare: 0.2 },
});

const acknowledged = new Set(known.flatMap((line) => (line.type === 'acknowledged' ? [line.id] : [])));
for (const line of known) {
  if (line.type === 'sending' && !acknowledged.has(line.id)) await deliver(line.id, line.token);
}
let number = known.filter((line) => line.type === 'sending').length;
const closing = new AbortController();
createInterface({ input: process.stdin })
  .on('line', () => void cancel())
  .on('close', () => closing.abort());
process.stdout.write('ready\n');
while (!closing.signal.aborted) {
  await sleep(random() * 2 * meanMs, undefined, { signal: closing.signal }).catch(() => undefined);
  const burst = random() < 0.2 ? 3 : 1;
  for (let sent = 0; sent < burst; sent += 1) await sendNext();
}

async function sendNext(): Promise<void> {
  number += 1;
  const id = `${sessionId}-message-${number}`;
  const token = `TOKEN-${number}-${Math.floor(random() * 1e9).toString(36)}`;
  lines.write({ type: 'sending', at: trueTime(), id, token, number });
  await deliver(id, token);
}

async function deliver(id: string, token: string): Promise<void> {
  const content: UserMessageContentPart[] = [{ type: 'text', text: `Note ${token}.` }];
  if (id.endsWith('7')) content.push({ type: 'image', data: imageOf(token), mediaType: 'image/png' });
  await runtime.queue.enqueue(sessionId, content, { id });
  lines.write({ type: 'acknowledged', at: trueTime(), id });
}

async function cancel(): Promise<void> {
  const askedAt = trueTime();
  await runtime.cancel(sessionId);
  cancels.write({ askedAt, answeredAt: trueTime() });
  process.stdout.write('cancelled\n');
}

async function notHere(): Promise<never> {
  throw new Error('This process only sends messages; it drives no session.');
}

function imageOf(token: string): string {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000008000000080802000000', 'hex');
  return Buffer.concat([head, Buffer.from(token.repeat(40))]).toString('base64');
}
