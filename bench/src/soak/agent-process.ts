/**
 * `agent-process.ts DATABASE URL MODEL COMPACTIONS`, with `--expose-gc`: works in one session until it was compacted
 * this often. Prints a JSON line with the totals so far at the beginning and the end of the two measured tenths.
 */
import { argv } from 'node:process';
import { ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, Runtime } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { createIdleSandbox, testTool, text } from '@longhaul/testing/doubles';
import { measuredAt, type SoakSample } from './samples.ts';
import { outputAt } from './work.ts';

const [path = '', url = '', model = '', wanted = ''] = argv.slice(2);
const compactions = Number(wanted);

const info = {
  provider: 'soak',
  model,
  windowTokens: 8_000,
  maxOutputTokens: 1_000,
  accepts: { images: false, files: false },
};
const driver = await createModelDriver({
  kind: 'openai-compatible',
  provider: 'soak',
  model,
  baseUrl: url,
  info,
});

let step = 0;
const tools = ['read', 'bash'].map((name) =>
  testTool(name, () => {
    step += 1;
    return text(outputAt(step));
  }),
);

await using store = await openSqliteStore({ path });
const runtime = new Runtime({
  approverFor: () => ALLOW_ALL,
  store,
  blobs: createMemoryBlobStore(),
  tools,
  openSandbox: async () => createIdleSandbox(),
  driverFor: async () => driver,
  compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
});

const counts = { requests: 0, compactions: 0 };
const requestCpuMs: number[] = [];
let cpuBefore = process.cpuUsage();

runtime.subscribe((event) => {
  if (event.type === 'context:usage') {
    const { user, system } = process.cpuUsage(cpuBefore);
    requestCpuMs.push((user + system) / 1_000);
    cpuBefore = process.cpuUsage();
    counts.requests += 1;
  } else if (event.type === 'context:compressed') {
    counts.compactions += 1;
    if (measuredAt(compactions).includes(counts.compactions)) report();
  }
});

const session = await runtime.createSession({
  workspace: '/',
  model: `soak/${model}`,
  task: 'Work through the project.',
});
while (counts.compactions < compactions) {
  const content = [{ type: 'text' as const, text: `Continue with part ${counts.requests} of the project.` }];
  const { status, error } = await runtime.run(session.id, { content });
  if (status !== 'completed') throw new Error(`A run ended as ${status}: ${error?.message}`);
}

function report(): void {
  // Twice, because the first collection only makes some objects unreachable.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const sample: SoakSample = {
    ...counts,
    requestCpuMs: requestCpuMs.splice(0),
    rssBytes: rss,
    liveBytes: heapUsed + external,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
  process.stdout.write(`${JSON.stringify(sample)}\n`);
  // The collection and this report belong to no request.
  cpuBefore = process.cpuUsage();
}
