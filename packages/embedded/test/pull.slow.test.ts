import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacks, llamaProblem } from '@longhaul/testing/machine';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { pullModel } from '../src/index.ts';

const FILE = Buffer.from(`GGUF${'model '.repeat(1_000)}`);
const SUM = createHash('sha256').update(FILE).digest('hex');

let folder: string;
let hub: { server: Server; url: string };
let problem: string | undefined;
beforeAll(async () => {
  problem = await llamaProblem();
});
beforeEach(async ({ skip }) => {
  if (problem !== undefined) lacks('llama', problem, skip);
  folder = await mkdtemp(join(tmpdir(), 'longhaul-pull-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  hub?.server.closeAllConnections();
  hub?.server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Answers as Hugging Face does, with a list that has this checksum. */
async function openHub(sum: string): Promise<void> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    if (path.includes('/manifests/'))
      response.end(JSON.stringify({ ggufFile: { rfilename: 'tiny-q4.gguf' } }));
    else if (path.startsWith('/api/models/'))
      response.end(JSON.stringify([{ path: 'tiny-q4.gguf', lfs: { oid: sum, size: FILE.length } }]));
    else {
      response.setHeader('content-length', FILE.length);
      response.end(request.method === 'HEAD' ? undefined : FILE);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hub = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  vi.stubEnv('HF_ENDPOINT', hub.url);
}

function pull(name: string) {
  return pullModel(name, { folder, env: process.env, onProgress: () => {} });
}

it('fetches a model by its address, and compares its checksum', async () => {
  await openHub(SUM);
  const pulled = await pull('hf:user/Tiny-GGUF:Q4_K_M');
  expect(pulled).toMatchObject({ name: 'tiny-gguf-q4_k_m', bytes: FILE.length, checksum: 'matches' });
  expect(await readFile(pulled.path)).toEqual(FILE);
});

it('deletes a file with another checksum', async () => {
  await openHub('0'.repeat(64));
  await expect(pull('hf:user/Tiny-GGUF:Q4_K_M')).rejects.toThrow('differs from the checksum');
});

it('says without a network where to place the file', async () => {
  await openHub(SUM);
  hub.server.close();
  await once(hub.server, 'close');
  await expect(pull('qwen3-4b')).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining(`place it in ${join(folder, 'models', 'qwen3-4b')}`),
  });
});

it('refuses an unknown name with the names of the list', async () => {
  await expect(pull('qwen')).rejects.toThrow(/Known: qwen3-4b, .*hf:USER/);
});
