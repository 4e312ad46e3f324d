import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { BlobStore, FileRecorder } from '@longhaul/core';
import { createFileBlobStore } from '@longhaul/storage';
import { createFileTrees } from '../../packages/files/src/index.ts';
import type { BenchResult } from './bench-result.ts';
import { measureDemo } from './files-demo.ts';
import { median } from './median.ts';

const SIZES = [10_000, 50_000];
const FILES_PER_FOLDER = 10;
const ROUNDS = 9;
const EDITS = 200;
const DEMO_ROUNDS = 9;
/** Milliseconds of processor time for a tree in which nothing has changed, by number of files. */
const MAX_IDLE_MS: Record<number, number> = { 10000: 100, 50000: 500 };
/** Bytes on disk for each compressed byte of changed content. */
const MAX_DISK_RATIO = 1.2;

/**
 * Measures recording of a workspace: an unchanged tree, a sequence of small edits as an agent makes them, the first
 * record and restoring it. Then a task of an agent with and without recording.
 */
export async function benchFiles(): Promise<BenchResult> {
  const result: BenchResult = { name: 'files', rows: [], summary: {}, broken: [] };
  for (const size of SIZES) await measure(size, result);
  await measureDemo(result, DEMO_ROUNDS);
  return result;
}

async function measure(size: number, result: BenchResult): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-bench-files-'));
  try {
    const workspace = join(folder, 'workspace');
    const paths = writeTree(workspace, size);
    const written = { bytes: 0 };
    const trees = createFileTrees({
      blobs: counting(createFileBlobStore(join(folder, 'blobs')), written),
      cacheFolder: join(folder, 'cache'),
      key: Buffer.alloc(32, 1),
      settings: { ignore: [], secret: [], maxFileMb: 20 },
    });
    await using recorder = await trees.openRecorder(workspace, undefined);
    const first = await timed(() => recorder.record());
    const firstBytes = written.bytes;
    // Files that are as new as the record are read again once.
    await recorder.record();
    const idle = await idleTimes(recorder);
    written.bytes = 0;
    const edits = await edit(recorder, workspace, paths);
    const ratio = written.bytes / edits.compressedBytes;
    const restoring = await timed(() =>
      trees.materialise(first.value?.after ?? '', join(folder, 'restored')),
    );
    const label = `${size.toLocaleString('en')} files`;
    result.rows.push({
      label,
      values: {
        'unchanged ms CPU': median(idle.cpu),
        'unchanged ms': median(idle.wall),
        'one edit ms': median(edits.wall),
        'disk ratio': ratio,
        'first record ms': first.ms,
        'first record MB': firstBytes / 1e6,
        'restore ms': restoring.ms,
      },
    });
    result.summary[`idleMs${size}`] = Number(median(idle.cpu).toFixed(1));
    result.summary[`diskRatio${size}`] = Number(ratio.toFixed(3));
    judge(result, label, { cpu: median(idle.cpu), limit: MAX_IDLE_MS[size] ?? 0, ratio });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function judge(
  { broken }: BenchResult,
  label: string,
  { cpu, limit, ratio }: { cpu: number; limit: number; ratio: number },
): void {
  if (cpu > limit)
    broken?.push(`${label}: an unchanged tree takes ${cpu.toFixed(0)} ms of CPU, more than ${limit}`);
  if (ratio > MAX_DISK_RATIO)
    broken?.push(
      `${label}: disk is ${ratio.toFixed(2)} of the compressed contents, more than ${MAX_DISK_RATIO}`,
    );
}

/** Processor time of the whole process, which does nothing else. */
async function idleTimes(recorder: FileRecorder): Promise<{ cpu: number[]; wall: number[] }> {
  const times: { cpu: number[]; wall: number[] } = { cpu: [], wall: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const { ms } = await timed(() => recorder.record());
    const { user, system } = process.cpuUsage(before);
    times.cpu.push((user + system) / 1_000);
    times.wall.push(ms);
  }
  return times;
}

/** Changes a few lines of one file, sometimes of three, and records after each. */
async function edit(recorder: FileRecorder, workspace: string, paths: readonly string[]) {
  const random = randomNumbers(7);
  const wall: number[] = [];
  let compressedBytes = 0;
  for (let round = 0; round < EDITS; round += 1) {
    for (let left = round % 10 === 0 ? 3 : 1; left > 0; left -= 1) {
      const path = paths[Math.floor(random() * paths.length)] ?? '';
      const content = source(random, 60 + Math.floor(random() * 340));
      writeFileSync(join(workspace, path), content);
      compressedBytes += zstdCompressSync(content).length;
    }
    wall.push((await timed(() => recorder.record())).ms);
  }
  return { wall, compressedBytes };
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

function counting(blobs: BlobStore, written: { bytes: number }): BlobStore {
  return {
    put: (data) => {
      written.bytes += data.length;
      return blobs.put(data);
    },
    putStream: (source) => blobs.putStream(source),
    get: (id) => blobs.get(id),
    read: (id, range) => blobs.read(id, range),
    stat: (id) => blobs.stat(id),
  };
}

/** Folders three deep, as packages of a repository have them. */
function writeTree(workspace: string, size: number): string[] {
  rmSync(workspace, { recursive: true, force: true });
  const random = randomNumbers(size);
  const paths: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const folder = Math.floor(index / FILES_PER_FOLDER);
    const path = `packages/part${folder % 25}/src/module${Math.floor(folder / 25)}`;
    if (index % FILES_PER_FOLDER === 0) mkdirSync(join(workspace, path), { recursive: true });
    paths.push(`${path}/file${index}.ts`);
    writeFileSync(
      join(workspace, `${path}/file${index}.ts`),
      source(random, 10 + Math.floor(random() * 150)),
    );
  }
  return paths;
}

const WORDS = [
  'request',
  'session',
  'value',
  'index',
  'result',
  'handler',
  'options',
  'message',
  'stream',
  'error',
];

/** Lines that compress about as well as source code. */
function source(random: () => number, lines: number): string {
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  const name = () => `${word()}${Math.floor(random() * 1_000)}`;
  const line = () => `  const ${name()} = await ${word()}.${name()}(${name()}, { ${word()}: ${name()} });\n`;
  return Array.from({ length: lines }, line).join('');
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
