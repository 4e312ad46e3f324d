import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startScriptedModelProcess } from '@longhaul/scripted-model';
import { DEMO_SCRIPT_MODULE, DEMO_TASK } from '@longhaul/scripted-model/demo';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { measureProcess, type Sample } from './time-process.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const WINDOW_TOKENS = 16_000;
/** How much longer the task may take if its files are recorded. */
const MAX_RATIO = 1.05;

/**
 * Measures the task of `longhaul demo`, 39 steps, with and without recording its files, in alternating rounds. The
 * median of the ratios of all rounds counts. Each run begins in an empty folder with a new database.
 */
export async function measureDemo(result: BenchResult, rounds: number): Promise<void> {
  const samples: Record<'recorded' | 'plain', Sample[]> = { recorded: [], plain: [] };
  // The first round is not counted: it warms up the disk and the compile cache.
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? (['plain', 'recorded'] as const) : (['recorded', 'plain'] as const);
    for (const name of order) {
      const sample = await runDemo(name === 'recorded');
      if (round > 0) samples[name].push(sample);
    }
  }
  const of = (name: keyof typeof samples, key: 'ms' | 'cpuMs') =>
    Math.round(median(samples[name].map((sample) => sample[key])));
  const ratio = (key: 'ms' | 'cpuMs') => {
    const ratios = samples.recorded.map((sample, round) => sample[key] / (samples.plain[round]?.[key] ?? 0));
    return Number(median(ratios).toFixed(3));
  };
  for (const name of ['plain', 'recorded'] as const)
    result.rows.push({
      label: `39 steps, files ${name === 'plain' ? 'not recorded' : 'recorded'}`,
      values: { ms: of(name, 'ms'), 'processor ms': of(name, 'cpuMs') },
    });
  result.summary['demoRatio'] = ratio('ms');
  result.summary['demoCpuRatio'] = ratio('cpuMs');
  if (ratio('ms') > MAX_RATIO)
    result.broken?.push(
      `39 steps take ${((ratio('ms') - 1) * 100).toFixed(1)} % longer if files are recorded, more than 5 %`,
    );
}

async function runDemo(record: boolean): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-demo-'));
  const workspace = join(folder, 'flashcards');
  try {
    await mkdir(workspace);
    const config = join(folder, 'config.yaml');
    await writeFile(config, `files: { record: ${record} }\nsandbox: { network: "off" }\n`);
    const options = { scriptModule: DEMO_SCRIPT_MODULE, windowTokens: WINDOW_TOKENS, model: 'flashcards' };
    await using server = await startScriptedModelProcess(options);
    const model = ['--model', `openai-compatible/${server.model}`, '--base-url', server.url];
    const limits = ['--window', String(WINDOW_TOKENS), '--sandbox', 'local', '--json'];
    const place = ['--config', config, '--cwd', workspace];
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
    return await measureProcess([COMMAND, 'run', DEMO_TASK, ...model, ...limits, ...place], {
      env,
      cwd: workspace,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
