import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CODER_MODELS, fittingModel, neededBytes } from './coder-models.ts';
import { findModelFile } from './find-model-file.ts';
import { pulledModels, removeModel } from './model-folder.ts';
import { checkPublished } from './published-checksum.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function place(name: string, content: string): Promise<string> {
  const path = join(folder, 'models', name, 'model.gguf');
  await mkdir(join(folder, 'models', name), { recursive: true });
  await writeFile(path, content);
  return path;
}

describe('the list of models', () => {
  it('is sorted by size, and offers the largest that fits, else the smallest', () => {
    const needs = CODER_MODELS.map(neededBytes);
    expect(needs).toEqual([...needs].sort((left, right) => left - right));
    expect(fittingModel(1e12)).toBe(CODER_MODELS.at(-1));
    expect(fittingModel(neededBytes(CODER_MODELS[1] ?? fail()) + 1)).toBe(CODER_MODELS[1]);
    expect(fittingModel(0)).toBe(CODER_MODELS[0]);
  });
});

describe('a model by name', () => {
  it('is the path of a file as it is', async () => {
    for (const path of ['/models/a.gguf', '/models/B.GGUF', '/blobs/sha256-1'])
      expect(await findModelFile(path, { folder, freeBytes: 0 })).toBe(path);
  });

  it('is the file that was fetched or placed under this name', async () => {
    const path = await place('mine', 'four');
    await place('half', '');
    await rm(join(folder, 'models', 'half', 'model.gguf'));
    expect(await findModelFile('mine', { folder, freeBytes: 0 })).toBe(path);
    expect(await pulledModels(folder)).toEqual([{ name: 'mine', path, bytes: 4 }]);
    expect(await removeModel(folder, 'mine')).toBe(true);
    expect(await removeModel(folder, 'mine')).toBe(false);
    const named = await place('_My model', 'four');
    await writeFile(join(folder, 'kept.gguf'), '');
    for (const name of ['', '.', '..', '../models', '../kept.gguf', named])
      expect(await removeModel(folder, name)).toBe(false);
    expect(await removeModel(folder, '_My model')).toBe(true);
  });

  it('is the largest fetched one that fits if none is named', async () => {
    await place('small', 's');
    const large = await place('large', 'large');
    expect(await findModelFile(undefined, { folder, freeBytes: 1e9 })).toBe(large);
  });

  it('is refused with the command that fetches it', async () => {
    const named = findModelFile('qwen3-4b', { folder, freeBytes: 0 });
    await expect(named).rejects.toThrow('Fetch it once (2.5 GB): longhaul models pull qwen3-4b.');
    const chosen = findModelFile(undefined, { folder, freeBytes: 1e12 });
    await expect(chosen).rejects.toThrow('longhaul models pull qwen3-coder-30b');
  });

  it('is refused with a suggestion if it is unknown', async () => {
    const unknown = findModelFile('qwen3-4', { folder, freeBytes: 0 });
    await expect(unknown).rejects.toThrow('No embedded model is called "qwen3-4". Did you mean "qwen3-4b"?');
  });
});

describe('the checksum of a fetched file', () => {
  const check = async (oid: string, status = 200) => {
    const path = await place('mine', 'content');
    const asked: string[] = [];
    const checked = await checkPublished(path, 'hf:user/Repo-GGUF:Q4_K_M', {
      endpoint: 'http://hub/',
      signal: undefined,
      fetch: async (input) => {
        asked.push(String(input));
        return Response.json([{ path: 'a.gguf', lfs: { oid, size: 7 } }, { path: 'README.md' }], { status });
      },
    });
    expect(asked).toEqual(['http://hub/api/models/user/Repo-GGUF/tree/main']);
    return checked;
  };
  const SUM = createHash('sha256').update('content').digest('hex');

  it('is compared with the one of the list', async () => {
    expect(await check(SUM)).toBe('matches');
    expect(await check('0'.repeat(64))).toBe('differs');
  });

  it('is unknown without a list', async () => {
    expect(await check(SUM, 500)).toBe('unknown');
    const path = await place('mine', 'content');
    const options = { endpoint: 'http://hub/', signal: undefined, fetch: globalThis.fetch };
    expect(await checkPublished(path, 'https://example.com/model.gguf', options)).toBe('unknown');
  });
});

function fail(): never {
  throw new Error('The list is empty.');
}
