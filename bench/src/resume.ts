import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchResult } from './bench-result.ts';
import { CHARS_EACH, fillLongSession, MESSAGES } from './long-session.ts';
import { median } from './median.ts';
import { type ResumeSample, timeResume } from './time-resume.ts';

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
    const samples: Record<'long' | 'empty', ResumeSample[]> = { long: [], empty: [] };
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

function toResult(samples: Record<'long' | 'empty', ResumeSample[]>, bytes: number): BenchResult {
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
