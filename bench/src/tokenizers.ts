import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const CHARS = 1_000_000;
const ROUNDS = 3;
const FOLDER = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./tokenizers-cold.ts', import.meta.url));

/** One model of each family. Its name selects the tokenizer. */
const MODELS = [
  'gpt-4o',
  'gpt-4',
  'llama-3.1-8b',
  'llama-2-7b',
  'mixtral-8x7b',
  'mistral-nemo',
  'qwen2.5-coder',
];

/**
 * Measures counting 1 MB in a new process, including loading: prose and code with each family and with gpt-tokenizer,
 * then unusual inputs with GPT's current vocabulary compared with prose of the same length.
 */
export async function benchTokenizers(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  try {
    const prose = await proseAndCode();
    const families = await timeFamilies(folder, prose);
    const inputs = await timeInputs(folder, { prose, ...oddInputs() });
    return toResult(families, inputs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sample {
  loadedMs: number;
  totalMs: number;
  /** CPU time of all threads for loading and counting, which other programs on the machine affect least. */
  cpuMs: number;
  tokens: number;
  memoryMb: number;
}

type Samples = Record<string, Sample>;

async function timeFamilies(folder: string, prose: string): Promise<Samples> {
  const path = join(folder, 'prose');
  await writeFile(path, prose);
  return medians([...MODELS, 'gpt-tokenizer'], (kind) => runCold(kind, path));
}

async function timeInputs(folder: string, inputs: Record<string, string>): Promise<Samples> {
  const paths = new Map<string, string>();
  for (const [index, [name, text]] of Object.entries(inputs).entries()) {
    const path = join(folder, `input-${index}`);
    await writeFile(path, text);
    paths.set(name, path);
  }
  return medians(Object.keys(inputs), (name) => runCold('gpt-4o', paths.get(name) ?? ''));
}

/** Alternates between all names, so that a busy moment affects all of them equally. */
async function medians(names: readonly string[], run: (name: string) => Promise<Sample>): Promise<Samples> {
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) samples.get(name)?.push(await run(name));
  const of = (name: string, pick: (sample: Sample) => number) => median((samples.get(name) ?? []).map(pick));
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        loadedMs: of(name, (sample) => sample.loadedMs),
        totalMs: of(name, (sample) => sample.totalMs),
        cpuMs: of(name, (sample) => sample.cpuMs),
        tokens: of(name, (sample) => sample.tokens),
        memoryMb: of(name, (sample) => sample.memoryMb),
      },
    ]),
  );
}

async function runCold(kind: string, path: string): Promise<Sample> {
  // Runs the built files, because stripping types from the sources would be a third of the measured time.
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, kind, path]);
  return JSON.parse(stdout);
}

function toResult(families: Samples, inputs: Samples): BenchResult {
  const prose = inputs['prose']?.cpuMs ?? 0;
  const ratios = Object.values(inputs).map(({ cpuMs }) => cpuMs / prose);
  return {
    name: 'tokenizers',
    rows: [
      ...Object.entries(families).map(([label, { loadedMs, totalMs, cpuMs, tokens, memoryMb }]) => ({
        label,
        values: {
          'load ms': loadedMs,
          'load + 1 MB ms': totalMs,
          'CPU ms': cpuMs,
          tokens,
          'memory MB': memoryMb,
        },
      })),
      ...Object.entries(inputs).map(([label, { totalMs, cpuMs, tokens }]) => ({
        label: `gpt-4o: ${label}`,
        values: { 'load + 1 MB ms': totalMs, 'CPU ms': cpuMs, tokens, '× prose': cpuMs / prose },
      })),
    ],
    summary: {
      coldCpuMilliseconds: Math.round(families['gpt-4o']?.cpuMs ?? 0),
      coldMilliseconds: Math.round(families['gpt-4o']?.totalMs ?? 0),
      timesGptTokenizer: rounded(
        (families['gpt-4o']?.totalMs ?? 0) / (families['gpt-tokenizer']?.totalMs ?? 1),
      ),
      slowestInputTimesProse: rounded(Math.max(...ratios)),
    },
  };
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

/** Reads this project's own pages and sources. */
async function proseAndCode(): Promise<string> {
  let text = '';
  for (const part of ['docs', 'packages']) {
    const names = (await readdir(join(FOLDER, part), { recursive: true }))
      .filter((name) => /\.(md|ts)$/.test(name) && !/node_modules|dist|bundle/.test(name))
      .sort();
    for (const name of names) {
      if (text.length >= CHARS) return text.slice(0, CHARS);
      text += await readFile(join(FOLDER, part, name), 'utf8');
    }
  }
  return text.repeat(Math.ceil(CHARS / text.length)).slice(0, CHARS);
}

function oddInputs(): Record<string, string> {
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const made = (from: number, below: number) =>
    Array.from({ length: CHARS }, () => String.fromCharCode(from + random(below))).join('');
  const emoji = Array.from({ length: CHARS / 2 }, () => String.fromCodePoint(0x1f300 + random(700)));
  const lines = Array.from({ length: CHARS / 25 }, () => `${' '.repeat(random(50))}\n`);
  return {
    blanks: ' '.repeat(CHARS),
    'one letter': 'a'.repeat(CHARS),
    'one symbol': '='.repeat(CHARS),
    'line breaks': '\n'.repeat(CHARS),
    'blank lines': lines.join('').slice(0, CHARS),
    base64: Buffer.from(made(0, 256), 'latin1').toString('base64').slice(0, CHARS),
    'random letters': made(97, 26),
    'random bytes': made(0, 256),
    ideographs: made(0x4e00, 20_000),
    kana: made(0x3040, 180),
    emoji: emoji.join(''),
    'lone surrogates': '\ud800'.repeat(CHARS),
    'random surrogates': made(0xd800, 2_048),
  };
}
