import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { expect, it } from 'vitest';

/**
 * Each thread has a pipe for signals. The descriptors of a thread that has ended are used again, for example for files
 * that cannot be read. The main thread is blocked then, as after SIGCONT, so that the watchdog looks at them.
 */
const PROGRAM = `
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { startWatchdogThread } from ${JSON.stringify(new URL('watchdog-thread.ts', import.meta.url).href)};
const thread = async () => {
  const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
  await once(worker, 'online');
  return worker;
};
const threads = () => Promise.all([thread(), thread(), thread()]);
const end = (workers) => Promise.all(workers.map((worker) => worker.terminate()));
const first = await threads();
startWatchdogThread({ beatMs: 5, checkMs: 10, checks: 1_000 });
await end(first);
for (let more = 0; more < 6; more += 1) {
  // The descriptors of the next threads have other numbers.
  openSync('/dev/null');
  const next = await threads();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  await end(next);
}
process.stdout.write('alive', () => process.exit());
`;

it.runIf(process.platform === 'linux')(
  'leaves descriptors alone that belong to something else now',
  async () => {
    const args = [...FROM_SOURCE, '--input-type=module', '--eval', PROGRAM];
    expect(await promisify(execFile)(process.execPath, args)).toMatchObject({ stdout: 'alive' });
  },
);
