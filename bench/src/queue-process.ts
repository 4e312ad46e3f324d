/**
 * `queue-process.ts DATABASE NAME COUNT`: waits for a line on standard input, then queues COUNT messages for the
 * session `shared`, one at a time.
 */
import { once } from 'node:events';
import { argv } from 'node:process';
import { EventHub, MessageQueueService } from '@longhaul/core';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';

const [path = '', name = '', count = '0'] = argv.slice(2);
await using store = await openSqliteStore({ path, busyTimeoutMs: 60_000 });
const queue = new MessageQueueService({
  store,
  blobs: createMemoryBlobStore(),
  hub: new EventHub(),
  maxPending: 100_000,
});
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
for (let number = 1; number <= Number(count); number += 1) {
  await queue.enqueue('shared', [{ type: 'text', text: `${name} ${number}` }], { id: `${name}-${number}` });
}
