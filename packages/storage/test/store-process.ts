/**
 * A program for tests with several processes on one database: `store-process.ts PATH NAME COUNT`. Opens the store,
 * appends COUNT messages to its own session, queues COUNT messages for the session `shared` if it exists, and prints
 * `done`.
 */
import { argv, stdout } from 'node:process';
import { LonghaulError } from '@longhaul/protocol';
import { openSqliteStore } from '../src/sqlite/index.ts';

const [path = '', name = '', count = '0'] = argv.slice(2);
try {
  await using store = await openSqliteStore({ path, busyTimeoutMs: 60_000 });
  const texts = { task: name, title: name, model: 'm', workspace: '/' };
  await store.createSession({ id: name, createdAt: Date.now(), ...texts });
  const owner = { host: 'h', bootId: 'b', pid: process.pid, processStartedAt: '0' };
  const { lease } = await store.acquireLease(name, {
    runId: name,
    owner,
    ttlMs: 60_000,
    isAlive: () => true,
  });
  const shared = await store.getSession('shared');
  for (let i = 0; i < Number(count); i++) {
    const base = { role: 'user', status: 'done', createdAt: Date.now(), tokenCount: 1 } as const;
    const parts = [{ type: 'text', text: `${name} ${i}`, state: 'done' } as const];
    await store.appendMessage(lease, { id: `${name}-${i}`, ...base, parts }, [{ type: 'llm:thinking' }]);
    if (shared === undefined) continue;
    const queued = { id: `${name}-${i}`, content: [], queuedAt: i };
    await store.enqueue('shared', queued, { maxPending: 10_000 });
  }
  stdout.write('done\n');
} catch (error) {
  stdout.write(error instanceof LonghaulError ? `${error.code}: ${error.message}\n` : `${error}\n`);
  process.exitCode = 1;
}
