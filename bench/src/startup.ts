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
 * Measures the command from spawn to exit, alternating with `node -e 0`, and its peak memory without child processes.
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
  peakMb: number;
}

function toResult(samples: Record<'node' | 'help' | 'run', Sample[]>): BenchResult {
  const ms = (name: keyof typeof samples) => median(samples[name].map((sample) => sample.ms));
  const peak = (name: keyof typeof samples) => median(samples[name].map((sample) => sample.peakMb));
  const row = (label: string, name: keyof typeof samples) => ({
    label,
    values: {
      ms: Math.round(ms(name)),
      '× node': Number((ms(name) / ms('node')).toFixed(2)),
      'peak MB': Math.round(peak(name)),
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
      helpRatio: Number((ms('help') / ms('node')).toFixed(2)),
      runRatio: Number((ms('run') / ms('node')).toFixed(2)),
      runPeakMb: Math.round(peak('run')),
    },
  };
}

/** The process reads its own VmHWM at exit, so that the memory of its children does not count. */
const REPORT_PEAK = `data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>{process.stderr.write('peakKb='+/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]+'\\n')})`;

async function timeProcess(
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; cwd: string },
): Promise<Sample> {
  const timed = await spawnAndWait(args, options);
  const measured = await spawnAndWait(['--import', REPORT_PEAK, ...args], options);
  const peakKb = Number(/peakKb=(\d+)/.exec(measured.stderr)?.[1]);
  return { ms: timed.ms, peakMb: peakKb / 1_024 };
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
