import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lacks, llamaProblem, processesWith } from '@longhaul/testing/machine';
import { writeTinyModel } from '@longhaul/testing/tiny-model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { socketPlace } from '../src/client/socket-place.ts';
import { startModelProcess } from '../src/client/start-process.ts';
import { connectEmbeddedModel } from '../src/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-bad-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Tries to load a file. The process of a model has its path among its arguments. */
async function refusal(path: string): Promise<unknown> {
  const place = { folder, env: { XDG_RUNTIME_DIR: folder }, gpu: false, endsWithClient: true };
  try {
    const model = await connectEmbeddedModel({ path, ...place });
    return await model.facts();
  } catch (thrown) {
    return thrown;
  }
}

async function untilNoProcess(): Promise<void> {
  await expect.poll(() => processesWith(folder), { timeout: 20_000 }).toEqual([]);
}

/** A file with this many bytes of a model. */
async function partOfModel(path: string, bytes: (size: number) => number): Promise<void> {
  await writeTinyModel(path, { answers: [{ text: 'Yes.' }] });
  await using file = await open(path);
  await truncate(path, bytes((await file.stat()).size));
}

it('refuses what is no model before a process starts', async () => {
  const path = join(folder, 'bad.gguf');
  const kinds: Record<string, () => Promise<unknown>> = {
    empty: () => writeFile(path, ''),
    'of 19 bytes': () => partOfModel(path, () => 19),
    text: () => writeFile(path, 'GGUF but not really a model at all'),
    'with absurd counts': () =>
      writeFile(path, Buffer.concat([Buffer.from('GGUF\x03\0\0\0'), Buffer.alloc(16, 0xff)])),
    folder: () => mkdir(path),
    ...(process.platform === 'win32' ? {} : { pipe: () => promisify(execFile)('mkfifo', [path]) }),
    ...(process.getuid?.() === 0 || process.platform === 'win32'
      ? {}
      : { locked: () => writeFile(path, 'GGUF').then(() => chmod(path, 0)) }),
    missing: async () => undefined,
  };
  for (const [kind, write] of Object.entries(kinds)) {
    await write();
    expect(await refusal(path), kind).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('bad.gguf'),
    });
    await rm(path, { recursive: true, force: true });
  }
});

it.skipIf(process.platform !== 'linux')(
  'refuses a model that is not whole, and leaves no process',
  async ({ skip }) => {
    const problem = await llamaProblem();
    if (problem !== undefined) lacks('llama', problem, skip);
    const path = join(folder, 'bad.gguf');
    for (const bytes of [
      (size: number) => size / 20,
      (size: number) => size / 2,
      (size: number) => size - 1,
    ]) {
      await partOfModel(path, (size) => Math.floor(bytes(size)));
      expect(await refusal(path)).toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining(path),
      });
    }
    await untilNoProcess();
  },
);

it.skipIf(process.platform !== 'linux')(
  'the process itself refuses a file of 19 bytes, which the library would read without end',
  async () => {
    const path = join(folder, 'bad.gguf');
    await partOfModel(path, () => 19);
    const socket = await socketPlace('bad', { XDG_RUNTIME_DIR: folder });
    const place = { folder, socket, id: 'bad', gpu: false, endsWithClient: true };
    await startModelProcess({ path, ...place, idleMs: 600_000, stateBytes: 0 });
    // It ends by itself, also if nobody asks it anything.
    await untilNoProcess();
  },
);
