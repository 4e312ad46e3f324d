import { join } from 'node:path';
import { currentClaimant, type Lease, MessageQueueService, newId, Runtime } from '@longhaul/core';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];

afterEach(() => vi.restoreAllMocks());

it.each([
  ['reports it', [], (stdout: string) => expect(stdout).toMatch(/has taken it\.\s*$/)],
  ['emits it', ['--json'], (stdout: string) => expect(linesOf(stdout)).toEqual(['{"queued":true}'])],
])(
  '%s if another process takes the session before its queued message is delivered',
  async (_, flag, check) => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Done.' });
    expect(await bench.call(['run', 'Work', '--quiet', ...LOCAL, ...flags])).toMatchObject({ code: 0 });
    const path = join(bench.home, '.local/share/longhaul/longhaul.db');
    await using store = await openSqliteStore({ path });
    const [session] = await store.listSessions({});
    const id = session?.id ?? '';
    const take = async () =>
      (await store.acquireLease(id, { runId: newId(), ttlMs: 60_000, ...currentClaimant() })).lease;

    // A run drives the session when the command is planned. It ends without the message, which waits.
    let lease: Lease = await take();
    const { enqueue } = MessageQueueService.prototype;
    vi.spyOn(MessageQueueService.prototype, 'enqueue').mockImplementation(async function (
      this: MessageQueueService,
      ...args
    ) {
      const queued = await enqueue.apply(this, args);
      await store.finishRun(lease, {
        status: 'failed',
        sessionStatus: 'failed',
        onlyIfQueueEmpty: false,
        events: [],
      });
      return queued;
    });
    // Another run takes the session before this command can deliver the message itself.
    const { resume } = Runtime.prototype;
    const resumed = vi.spyOn(Runtime.prototype, 'resume').mockImplementation(async function (
      this: Runtime,
      ...args
    ) {
      lease = await take();
      return await resume.apply(this, args);
    });

    const ended = await bench.call(['run', '--session', 'last', 'More', ...flag, ...LOCAL, ...flags]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(resumed).toHaveBeenCalledOnce();
    check(ended.stdout);
    expect(await store.listQueue(id)).toMatchObject([{ content: [{ type: 'text', text: 'More' }] }]);
  },
);
