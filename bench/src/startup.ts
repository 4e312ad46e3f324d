import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const ROUNDS = 9;

/**
 * Measures the command from spawn to exit, its processor time with that of its child processes, and its peak memory
 * without theirs. All values are medians of nine rounds. A ratio compares the command with the `node -e 0` of the same
 * round, so that a change of the machine's load affects both.
 */
export async function benchStartup(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const workspace = join(folder, 'work');
  await mkdir(workspace);
  await using server = await createScriptedModelServer({
    script: () => 'Done.',
    countTokens: (text) => Math.ceil(text.length / 4),
  });
  try {
    const run = [
      COMMAND,
      'run',
      'Say done.',
      '--json',
      '--model',
      `openai-compatible/${server.model}`,
      '--base-url',
      server.url,
    ];
    const cases = {
      node: ['-e', '0'],
      help: [COMMAND, '--help'],
      run: [...run, '--cwd', workspace],
    };
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
    const samples: Record<keyof typeof cases, Sample[]> = { node: [], help: [], run: [] };
    // The first round is not counted: it warms up the disk and the compile cache.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of ['node', 'help', 'run'] as const) {
        const sample = await timeProcess(cases[name], { env, cwd: workspace });
        if (round > 0) samples[name].push(sample);
      }
    }
    return toResult(samples);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sample {
  ms: number;
  cpuMs: number;
  peakMb: number;
}

function toResult(samples: Record<'node' | 'help' | 'run', Sample[]>): BenchResult {
  const of = (name: keyof typeof samples, key: keyof Sample) =>
    Math.round(median(samples[name].map((sample) => sample[key])));
  const ratio = (name: keyof typeof samples, key: keyof Sample) => {
    const ratios = samples[name].map((sample, round) => sample[key] / (samples.node[round]?.[key] ?? 0));
    return Number(median(ratios).toFixed(2));
  };
  const row = (label: string, name: keyof typeof samples) => ({
    label,
    values: {
      ms: of(name, 'ms'),
      '× node': ratio(name, 'ms'),
      'processor ms': of(name, 'cpuMs'),
      '× node (processor)': ratio(name, 'cpuMs'),
      'peak MB': of(name, 'peakMb'),
    },
  });
  return {
    name: 'startup',
    rows: [
      row('node -e 0', 'node'),
      row('longhaul --help', 'help'),
      row('longhaul run, one short answer', 'run'),
    ],
    summary: {
      helpRatio: ratio('help', 'ms'),
      runRatio: ratio('run', 'ms'),
      runCpuRatio: ratio('run', 'cpuMs'),
      runPeakMb: of('run', 'peakMb'),
    },
  };
}

/**
 * The process reads its own VmHWM at exit, so that the memory of its children does not count. Their processor time is in
 * fields 16 and 17 of its stat, in hundredths of a second.
 */
const REPORT = `
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync('/proc/self/' + name, 'utf8');
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const fields = read('stat').split(') ')[1].split(' ');
  const childMs = (Number(fields[13]) + Number(fields[14])) * 10;
  const peakKb = /VmHWM:\\s+(\\d+)/.exec(read('status'))[1];
  process.stderr.write('cpuMs=' + ((user + system) / 1000 + childMs) + ' peakKb=' + peakKb + '\\n');
});`;
const REPORT_URL = `data:text/javascript,${encodeURIComponent(REPORT)}`;

async function timeProcess(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; cwd: string },
): Promise<Sample> {
  const timed = await spawnAndWait(args, options);
  const measured = await spawnAndWait(['--import', REPORT_URL, ...args], options);
  const [, cpuMs, peakKb] = /cpuMs=([\d.]+) peakKb=(\d+)/.exec(measured.stderr) ?? [];
  return { ms: timed.ms, cpuMs: Number(cpuMs), peakMb: Number(peakKb) / 1_024 };
}

function spawnAndWait(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; cwd: string },
): Promise<{ ms: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - started;
      if (code === 0) resolve({ ms, stderr });
      else reject(new Error(`${args.join(' ')} exited with code ${code}: ${stderr.slice(0, 2_000)}`));
    });
  });
}
