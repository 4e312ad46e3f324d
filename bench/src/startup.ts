import { glob, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import type { BenchResult } from './bench-result.ts';
import { type ChatSamples, type ChatSize, sampleChat } from './chat/chat-samples.ts';
import { median } from './median.ts';
import { type Sample, timeProcess } from './time-process.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url));
const FULL: StartupSize = {
  rounds: 9,
  chat: { rounds: 5, turns: 1_000, messages: 20_000, echoes: 60, idleSeconds: 5, pauseSeconds: 20 },
};

export interface StartupSize {
  /** Rounds of the commands that are not the chat. */
  rounds: number;
  chat: ChatSize;
}

/** Measures `longhaul run` and `longhaul chat`. The chat needs Python, for a pseudo-terminal. */
export async function benchStartup({ rounds, chat } = FULL): Promise<BenchResult> {
  await requireBundle();
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  try {
    const result = await benchRun(rounds);
    const samples = await sampleChat(folder, chat);
    return withChat(result, samples, chat);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command runs its compiled modules while its bundle is older than they are, and takes twice the time. */
async function requireBundle(): Promise<void> {
  const modified = async (path: string) => (await stat(join(PACKAGES, path)).catch(() => undefined))?.mtimeMs;
  const bundledAt = (await modified('cli/bundle/main.js')) ?? 0;
  for await (const path of glob('*/tsconfig.tsbuildinfo', { cwd: PACKAGES })) {
    if (((await modified(path)) ?? 0) <= bundledAt) continue;
    throw new Error(`packages/cli/bundle is older than packages/${path}. Run first: npm run build`);
  }
}

/** Adds the chat. Its ratios compare medians with the median of `node -e 0` in the same run of the benchmark. */
function withChat(result: BenchResult, samples: ChatSamples, { turns, messages }: ChatSize): BenchResult {
  const nodeMs = Number(result.rows[0]?.values['ms']);
  const ratio = (ms: number) => Number((ms / nodeMs).toFixed(2));
  const promptMs = Math.round(median(samples.promptMs));
  const longMs = Math.round(median(samples.longMs));
  const sorted = samples.echoMs.toSorted((left, right) => left - right);
  const echoP95Ms = Number((sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0).toFixed(1));
  const idleCpuMs = Number(median(samples.idleCpuMs).toFixed(1));
  const startMb = Math.round(median(samples.startMb));
  const busyMb = Math.round(samples.busyMb);
  const turnsMb = Math.round(samples.turnsMb);
  const ofStart = (mb: number) => Number((mb / startMb).toFixed(2));
  return {
    ...result,
    rows: [
      ...result.rows,
      { label: 'longhaul chat, to the prompt', values: { ms: promptMs, '× node': ratio(promptMs) } },
      {
        label: `longhaul chat, ${messages.toLocaleString('en')} messages, to the end shown`,
        values: { ms: longMs, '× node': ratio(longMs) },
      },
      { label: 'a key to its echo at 200 deltas/s, p95', values: { ms: echoP95Ms } },
      { label: 'an idle chat, in a second', values: { 'processor ms': idleCpuMs } },
      { label: 'a chat after its start', values: { 'resident MB': startMb } },
      {
        label: `a chat right after ${turns} turns`,
        values: { 'resident MB': busyMb, '× start': ofStart(busyMb) },
      },
      {
        label: `a chat after ${turns} turns, when it is idle`,
        values: { 'resident MB': turnsMb, '× start': ofStart(turnsMb) },
      },
    ],
    summary: { ...result.summary, promptMs, longMs, echoP95Ms, idleCpuMs, startMb, busyMb, turnsMb },
  };
}

/**
 * Measures the command from spawn to exit, its processor time with that of its child processes, and its peak memory
 * without theirs. All values are medians of the rounds. A ratio compares the command with the `node -e 0` of the same
 * round, so that a change of the machine's load affects both.
 */
async function benchRun(rounds: number): Promise<BenchResult> {
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
    for (let round = 0; round <= rounds; round += 1) {
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
