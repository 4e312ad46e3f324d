import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/longhaul.js', import.meta.url));
const FILE = fileURLToPath(new URL(`../../binaries/longhaul-linux-${process.arch}`, import.meta.url));

/**
 * Measures the start of the single file, compared with the bundle on Node.js. The two alternate. All values are medians;
 * a ratio compares the two of one round.
 */
export async function benchSingleFile(rounds = 9): Promise<BenchResult> {
  if (!existsSync(FILE)) {
    throw new Error(`There is no ${FILE}. Run first: npm run binary -- --target linux-${process.arch}`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  const server = await createScriptedModelServer({ windowTokens: 16_000, script: () => 'Done.' });
  const model = ['-m', 'openai-compatible/scripted', '--base-url', server.url];
  try {
    const help = await measure(['--help'], { folder, rounds });
    const run = await measure(['run', 'Hi', '-q', '--sandbox', 'local', ...model], { folder, rounds });
    return {
      name: 'single-file',
      rows: [
        { label: 'longhaul --help', values: help },
        { label: 'longhaul run, one short answer', values: run },
      ],
      summary: { helpRatio: help.ratio, runRatio: run.ratio },
    };
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(args: readonly string[], { folder, rounds }: { folder: string; rounds: number }) {
  const samples: { node: number; file: number }[] = [];
  // The first round fills caches.
  for (let round = 0; round <= rounds; round++) {
    const node = await timeOf([process.execPath, COMMAND, ...args], folder);
    const file = await timeOf([FILE, ...args], folder);
    if (round > 0) samples.push({ node, file });
  }
  return {
    'node ms': Math.round(median(samples.map(({ node }) => node))),
    'single file ms': Math.round(median(samples.map(({ file }) => file))),
    ratio: Number(median(samples.map(({ node, file }) => file / node)).toFixed(2)),
  };
}

async function timeOf([program = '', ...args]: readonly string[], folder: string): Promise<number> {
  const env = { PATH: process.env['PATH'], HOME: folder };
  const started = performance.now();
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with code ${code}.`);
  return performance.now() - started;
}
