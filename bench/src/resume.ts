import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { BenchResult } from './bench-result.ts';
import { CHARS_EACH, fillLongSession, MESSAGES } from './long-session.ts';
import { median } from './median.ts';

const ROUNDS = 5;

/**
 * Measures time and peak memory in a new process, from sending a message to a long session until its first request is
 * ready. Compares them with a session of one message.
 */
export async function benchResume(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const path = join(folder, 'longhaul.db');
  try {
    await fillLongSession(path);
    const samples: Record<'long' | 'empty', Sample[]> = { long: [], empty: [] };
    // The first round warms up the disk and is not counted.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const session of ['empty', 'long'] as const) {
        const sample = await timeResume(path, session);
        if (round > 0) samples[session].push(sample);
      }
    }
    return toResult(samples, (await stat(path)).size);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sample {
  ms: number;
  /** CPU time of the process, which other programs on the machine affect less. */
  cpuMs: number;
  mb: number;
  messages: number;
}

function toResult(samples: Record<'long' | 'empty', Sample[]>, bytes: number): BenchResult {
  const ms = (name: keyof typeof samples) => Math.round(median(samples[name].map((sample) => sample.ms)));
  const cpu = (name: keyof typeof samples) => Math.round(median(samples[name].map((sample) => sample.cpuMs)));
  const mb = (name: keyof typeof samples) => Math.round(median(samples[name].map((sample) => sample.mb)));
  const row = (label: string, name: keyof typeof samples) => ({
    label,
    values: {
      ms: ms(name),
      'cpu ms': cpu(name),
      'peak MB': mb(name),
      'messages sent': samples[name][0]?.messages ?? 0,
    },
  });
  return {
    name: 'resume',
    rows: [
      row('a session of one message', 'empty'),
      row(`${MESSAGES} messages, ${CHARS_EACH} characters each`, 'long'),
    ],
    summary: {
      firstRequestMs: ms('long'),
      ratio: Number((ms('long') / ms('empty')).toFixed(2)),
      extraMs: ms('long') - ms('empty'),
      extraCpuMs: cpu('long') - cpu('empty'),
      extraMb: mb('long') - mb('empty'),
    },
    notes: [`The database takes ${Math.round(bytes / 1e6)} MB.`],
  };
}

function timeResume(path: string, session: string): Promise<Sample> {
  const program = fileURLToPath(new URL('resume-process.ts', import.meta.url));
  const child = spawn(process.execPath, [...FROM_SOURCE, program, path, session], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`The resumed process exited with code ${code}.`));
    });
  });
}
