/**
 * Does one piece of work on a database and kills itself with SIGKILL at a fault point. Arguments: database, blobs, work
 * (`import`, `fork`, `gc`, `delete` or `compact`), `POINT:COUNT`.
 */
import { flushCompileCache } from 'node:module';
import type { Message, Part } from '@longhaul/protocol';
import {
  armFault,
  garbageFaultPoints,
  parseArmedFault,
  storeWithFaultPoints,
} from '@longhaul/testing/fault-points';
import { createFileBlobStore } from '../src/blobs/index.ts';
import { collectGarbage } from '../src/maintenance/index.ts';
import { openSqliteStore } from '../src/sqlite/index.ts';
import { textPacks } from './text-packs.ts';

// Saves the compile cache for the next process now, because a killed process saves nothing.
flushCompileCache();
const [path = '', blobs = '', work = '', point = ''] = process.argv.slice(2);
const faults = armFault(parseArmedFault(point), () => process.kill(process.pid, 'SIGKILL'));
await using opened = await openSqliteStore({ path });
const store = storeWithFaultPoints(opened, faults);
const described = { createdAt: Date.now(), task: 'killed', title: 'killed', model: 'm', workspace: '/' };

const WORKS: Readonly<Record<string, () => Promise<unknown>>> = {
  async import() {
    const staged = await store.stageSession({ id: 'imported', ...described });
    for (let piece = 0; piece < 3; piece++)
      await staged.append(Array.from({ length: 50 }, (_, index) => draft(`i-${piece}-${index}`)));
    await staged.publish({ patch: { status: 'completed' }, marks: [] });
  },
  async fork() {
    let count = 0;
    const newId = () => {
      count += 1;
      return `forked-${count}`;
    };
    await store.forkSession('source', { id: 'forked', ...described }, { newId, close: (part: Part) => part });
  },
  gc: () =>
    collectGarbage(
      { path, blobs },
      { sessions: ['old'], backups: [] },
      {
        isAlive: () => false,
        packs: textPacks(createFileBlobStore(blobs)),
        now: () => Date.now() + 86_400_000,
        passed: garbageFaultPoints(faults),
      },
    ),
  async compact() {
    const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
    const options = { runId: 'compacting', owner, ttlMs: 60_000, isAlive: () => false };
    const { lease } = await store.acquireLease('source', options);
    await store.recordCompaction(lease, {
      id: 'c1',
      round: 1,
      strategy: 's',
      reason: 'manual',
      tokensBefore: 2,
      tokensAfter: 1,
      summary: { ledger: 'l', narrative: 'n' },
      hides: ['source-m1'],
      createdAt: 1,
    });
  },
};

await WORKS[work]?.();
console.log('done');

function draft(id: string): Omit<Message, 'sequence' | 'sessionId'> {
  const text: Part = { type: 'text', text: `quartz of ${id}`, state: 'done' };
  return { id, role: 'user', status: 'done', createdAt: 1, tokenCount: 1, parts: [text] };
}
