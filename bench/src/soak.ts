import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startScriptedModelProcess } from '@longhaul/scripted-model';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { type DatabaseSize, measureDatabase } from './soak/database-size.ts';
import type { SoakSample } from './soak/samples.ts';

const COMPACTIONS = 3_000;

/** The bounds of the command: growth from the first measured tenth to the last, and the database to its text. */
const BOUNDS = { requestGrowth: 1.3, withCompactions: 1.3, memoryGrowth: 1.3, databaseToText: 2.2 };

export interface SoakOptions {
  /** Default: 3,000. */
  compactions?: number | undefined;
}

/**
 * Works in one session with a small window until it was compacted thousands of times. Compares processor time of a
 * request and memory early in the session with the same at its end, and the database with the text in it.
 */
export async function benchSoak({ compactions = COMPACTIONS }: SoakOptions = {}): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const path = join(folder, 'longhaul.db');
  try {
    const samples = await soak(path, compactions);
    return toResult(samples, await measureDatabase(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function soak(path: string, compactions: number): Promise<SoakSample[]> {
  await using server = await startScriptedModelProcess({
    scriptModule: new URL('./soak/script.ts', import.meta.url),
    windowTokens: 10_000,
    chunkChars: 200,
  });
  const program = fileURLToPath(new URL('./soak/agent-process.ts', import.meta.url));
  const settings = [path, server.url, server.model, String(compactions)];
  const child = spawn(process.execPath, ['--expose-gc', ...FROM_SOURCE, program, ...settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`The agent's process exited with code ${code}.`);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function toResult(samples: readonly SoakSample[], database: DatabaseSize): BenchResult {
  const [, early, , late] = samples;
  if (early === undefined || late === undefined) throw new Error('The agent reported too few samples.');
  const summary = {
    requestGrowth: rounded(median(late.requestCpuMs) / median(early.requestCpuMs)),
    withCompactions: rounded(mean(late.requestCpuMs) / mean(early.requestCpuMs)),
    memoryGrowth: rounded(late.rssBytes / early.rssBytes),
    databaseToText: rounded(database.bytes / database.textBytes),
  };
  const tables = database.byTable
    .filter(([, bytes]) => bytes >= database.textBytes / 100)
    .map(([name, bytes]) => `${name} ${rounded(bytes / database.textBytes)}`);
  return {
    name: 'soak',
    rows: [row('early', early), row('at the end', late)],
    summary,
    notes: [
      `Text ${megabytes(database.textBytes)} MB, database ${megabytes(database.bytes)} MB.`,
      `Each table to the text: ${tables.join(', ')}.`,
    ],
    broken: brokenBounds(summary),
  };
}

function row(label: string, sample: SoakSample): BenchResult['rows'][number] {
  const { requests, compactions, requestCpuMs, rssBytes, liveBytes, peakBytes } = sample;
  return {
    label,
    values: {
      compactions,
      requests,
      'CPU ms a request': rounded(median(requestCpuMs)),
      'with compactions': rounded(mean(requestCpuMs)),
      'memory MB': megabytes(rssBytes),
      'live MB': megabytes(liveBytes),
      'peak MB': megabytes(peakBytes),
    },
  };
}

function brokenBounds(summary: Record<keyof typeof BOUNDS, number>): string[] {
  return Object.entries(BOUNDS).flatMap(([name, most]) => {
    const value = Object.entries(summary).find(([key]) => key === name)?.[1] ?? Number.NaN;
    return value <= most ? [] : [`${name} is ${value}; at most ${most} is allowed.`];
  });
}

/** Includes compactions, which belong to the requests that they make room for. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
