import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacks, llamaProblem } from '@longhaul/testing/machine';
import { expect, it, vi } from 'vitest';
import { pullModel } from '../src/index.ts';

const MEBIBYTE = 2 ** 20;
/** The library fetches parts of 5 MiB, in several streams. It fetches a part again that is not whole. */
const FILE = Buffer.alloc(40 * MEBIBYTE, 'GGUF');

/** Answers as Hugging Face does, and notes where the sent pieces of the file begin. */
async function openHub() {
  const lfs = { oid: createHash('sha256').update(FILE).digest('hex'), size: FILE.length };
  const hub = { url: '', holdsBeginning: true, sent: new Set<number>(), close: () => {} };
  const sendFile = async (range: string | undefined, response: ServerResponse) => {
    const [, from = '0', to = String(FILE.length - 1)] = /^bytes=(\d+)-(\d+)?$/.exec(range ?? '') ?? [];
    const [start, end] = [Number(from), Number(to) + 1];
    response.writeHead(range === undefined ? 200 : 206, {
      'content-length': end - start,
      'accept-ranges': 'bytes',
      'content-range': `bytes ${start}-${end - 1}/${FILE.length}`,
    });
    response.flushHeaders();
    if (range !== undefined && hub.holdsBeginning && start < 10 * MEBIBYTE) return;
    for (let at = start; at < end && !response.destroyed; at += MEBIBYTE) {
      // The first request, of the whole file, is for its size.
      if (range !== undefined) hub.sent.add(at);
      await new Promise((resolve) =>
        response.write(FILE.subarray(at, Math.min(end, at + MEBIBYTE)), resolve),
      );
    }
    response.end();
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    if (path.includes('/manifests/'))
      response.end(JSON.stringify({ ggufFile: { rfilename: 'tiny-q4.gguf' } }));
    else if (path.startsWith('/api/models/')) response.end(JSON.stringify([{ path: 'tiny-q4.gguf', lfs }]));
    else if (request.method === 'HEAD') {
      response.writeHead(200, { 'content-length': FILE.length, 'accept-ranges': 'bytes' });
      response.end();
    } else void sendFile(request.headers.range, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  hub.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return hub;
}

it('resumes an interrupted fetch where it ended', async ({ skip, onTestFinished }) => {
  const problem = await llamaProblem();
  if (problem !== undefined) lacks('llama', problem, skip);
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-pull-'));
  const hub = await openHub();
  vi.stubEnv('HF_ENDPOINT', hub.url);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    hub.close();
    await rm(folder, { recursive: true, force: true });
  });
  const pull = (signal: AbortSignal, onProgress: (bytes: number) => void) =>
    pullModel('hf:user/Tiny-GGUF:Q4_K_M', {
      folder,
      env: process.env,
      signal,
      onProgress: ({ downloadedSize }) => onProgress(downloadedSize),
    });

  const interrupt = new AbortController();
  const interrupted = pull(interrupt.signal, (bytes) => {
    if (bytes > 25 * MEBIBYTE) interrupt.abort();
  });
  await expect(interrupted).rejects.toMatchObject({
    code: 'cancelled',
    message: expect.stringContaining('What was fetched is kept'),
  });
  hub.holdsBeginning = false;
  hub.sent.clear();
  const pulled = await pull(new AbortController().signal, () => {});
  expect(pulled).toMatchObject({ checksum: 'matches', bytes: FILE.length });
  expect((await stat(pulled.path)).size).toBe(FILE.length);
  expect(hub.sent.size).toBeLessThanOrEqual(30);
});
