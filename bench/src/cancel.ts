import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, Runtime } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const PROCESSES = 50;
const ROUNDS = 5;
const TREE = `for i in $(seq ${PROCESSES}); do sleep 300 & done; touch begun; wait`;

/**
 * Measures a cancel from another process, for a run whose command has a tree of 50 processes: the time until the cancel
 * is answered and the time until the last process has ended. Linux only: processes are identified by their working
 * directory in /proc.
 */
export async function benchCancel(): Promise<BenchResult> {
  const samples: Sample[] = [];
  for (let round = 0; round < ROUNDS; round += 1) samples.push(await cancelOnce());
  const answered = samples.map(({ answeredMs }) => answeredMs);
  const gone = samples.map(({ goneMs }) => goneMs);
  const row = (label: string, values: number[]) => ({
    label,
    values: { 'median ms': Math.round(median(values)), 'most ms': Math.round(Math.max(...values)) },
  });
  return {
    name: 'cancel',
    rows: [row('answered', answered), row('last of 50 processes ended', gone)],
    summary: { goneMs: Math.round(median(gone)), goneMostMs: Math.round(Math.max(...gone)) },
    notes: ['Includes up to 100 ms until the run polls for cancel requests of other processes.'],
  };
}

interface Sample {
  answeredMs: number;
  goneMs: number;
}

async function cancelOnce(): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const workspace = join(folder, 'work');
  await mkdir(workspace);
  await using server = await createScriptedModelServer({
    script: () => ({ toolCalls: [{ name: 'bash', arguments: { command: TREE } }] }),
    countTokens: (text) => Math.ceil(text.length / 4),
  });
  const model = ['--model', `openai-compatible/${server.model}`, '--base-url', server.url];
  const run = ['run', 'Work.', '--json', '--yes', '--sandbox', 'local', ...model];
  const child = spawn(process.execPath, [...FROM_SOURCE, COMMAND, ...run], {
    cwd: workspace,
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const hasEnded = new Promise<void>((resolve) => child.on('close', () => resolve()));
  try {
    const sample = await timeCancel(join(folder, '.local', 'share', 'longhaul', 'longhaul.db'), workspace);
    await hasEnded;
    return sample;
  } finally {
    child.kill('SIGKILL');
    await hasEnded;
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeCancel(database: string, workspace: string): Promise<Sample> {
  while (!existsSync(join(workspace, 'begun'))) await sleep(20);
  await using store = await openSqliteStore({ path: database });
  const [session] = await store.listSessions({ limit: 1 });
  if (session === undefined) throw new Error('The run created no session.');
  const before = processesIn(workspace);
  if (before <= PROCESSES) throw new Error(`Only ${before} processes were started.`);
  const runtime = createCanceller(store);
  const start = performance.now();
  await runtime.cancel(session.id);
  const answeredMs = performance.now() - start;
  while (processesIn(workspace, 'sleep') > 0) await sleep(1);
  return { answeredMs, goneMs: performance.now() - start };
}

/** Creates a runtime that only cancels. */
function createCanceller(store: ConstructorParameters<typeof Runtime>[0]['store']): Runtime {
  const unused = async () => {
    throw new LonghaulError('internal', 'This runtime only cancels; it runs nothing.');
  };
  return new Runtime({
    approverFor: () => ALLOW_ALL,
    store,
    blobs: createMemoryBlobStore(),
    tools: [],
    openSandbox: unused,
    driverFor: unused,
    compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
  });
}

/** Returns the number of processes with this working directory. Zombie processes have none and do not count. */
function processesIn(folder: string, name = ''): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isIn(pid, { folder, name })).length;
}

function isIn(pid: string, { folder, name }: { folder: string; name: string }): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder && readlinkSync(`/proc/${pid}/exe`).includes(name);
  } catch {
    // The process has ended or belongs to another user.
    return false;
  }
}
