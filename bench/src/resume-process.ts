/**
 * `resume-process.ts DATABASE SESSION`: sends a message to a session in a new process. Prints the time until the first
 * request was ready and the process's peak memory until then.
 */
import { enableCompileCache } from 'node:module';
import { argv } from 'node:process';
import { ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, type ModelDriver, Runtime } from '@longhaul/core';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openPostgresStore } from '@longhaul/storage/postgres';
import { openSqliteStore } from '@longhaul/storage/sqlite';
// Imports only the doubles, because the memory of all test support would be measured too.
import { createIdleSandbox } from '@longhaul/testing/doubles';

// The command does this too.
enableCompileCache();

const [database = '', sessionId = ''] = argv.slice(2);
let begun = 0;
let cpuBefore = process.cpuUsage();

const driver: ModelDriver = {
  info: {
    provider: 'bench',
    model: 'm',
    windowTokens: 200_000,
    maxOutputTokens: 8_000,
    accepts: { images: true, files: true },
  },
  async *step({ messages }) {
    const ms = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpuBefore);
    const mb = process.resourceUsage().maxRSS / 1024;
    process.stdout.write(
      `${JSON.stringify({ ms, cpuMs: (user + system) / 1000, mb, messages: messages.length })}\n`,
    );
    yield { type: 'text-start', id: 't' };
    yield { type: 'text-delta', id: 't', text: 'Done.' };
    yield { type: 'text-end', id: 't' };
    yield { type: 'finish', finishReason: 'stop' };
  },
};

await using store = database.startsWith('postgres:')
  ? await openPostgresStore({ url: database })
  : await openSqliteStore({ path: database });
const runtime = new Runtime({
  approverFor: () => ALLOW_ALL,
  store,
  blobs: createMemoryBlobStore(),
  tools: [],
  openSandbox: async () => createIdleSandbox(),
  driverFor: async () => driver,
  summariserFor: async () => undefined,
  compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
});
cpuBefore = process.cpuUsage();
begun = performance.now();
await runtime.run(sessionId, { content: [{ type: 'text', text: 'Go on.' }] });
