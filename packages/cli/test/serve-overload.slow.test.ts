import { execFileSync } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';

const USERS = ['ann', 'bob', 'cleo', 'dan', 'eve'];
const SESSIONS_EACH = 10;
const SENDS = 500;
const DISK_MB = 64;

/** A server that can be killed and started again, at the same address. */
class Served {
  readonly #bench: Bench;
  #running: Running | undefined;
  #port = 0;
  /** Resolves while the server runs. */
  up = Promise.withResolvers<void>();
  url = '';

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  async start(): Promise<void> {
    const running = this.#bench.start(['serve', '--port', String(this.#port), '--json', '--resume']);
    await running.saw('"listening"');
    this.url = JSON.parse(running.output().split('\n')[0] ?? '').url;
    this.#port = Number(new URL(this.url).port);
    this.#running = running;
    this.up.resolve();
  }

  async kill(): Promise<void> {
    this.up = Promise.withResolvers();
    this.#running?.child.kill('SIGKILL');
    await this.#running?.ended;
  }
}

/** What a client does that obeys the server. Returns the answer, and the refusals that did not say when to retry. */
async function obey(
  served: Served,
  { token, path, body }: { token: string; path: string; body: object },
): Promise<{ answer: { id: string }; mute: string[]; refused: number }> {
  const mute: string[] = [];
  for (let refused = 0; ; refused += 1) {
    await served.up.promise;
    const response = await fetch(served.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.ok === true && text !== undefined) return { answer: JSON.parse(text), mute, refused };
    const wait = response?.headers.get('retry-after');
    // A connection that broke off is retried, too: the message has an id.
    if (response !== undefined && text !== undefined && wait === null)
      mute.push(`${response.status} ${text}`);
    if (mute.length > 3) return { answer: { id: '' }, mute, refused };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

it('loses no message in a flood of wrong tokens, on a full disk and over a restart, all at once', async ({
  skip,
}) => {
  await using bench = await Bench.open();
  const disk = join(bench.root, 'disk');
  await mkdir(disk);
  if (!mounts(disk)) return lacks('mount', 'this user may not mount', skip);
  try {
    const { server: model } = await bench.serve({ script: () => 'Done.' });
    await writeFile(
      bench.userFile,
      `model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${model.url}" } }
sandbox: { driver: local }
storage: { url: "sqlite:${disk}/longhaul.db" }
sessions: { titles: false }
server: { maxRuns: 4 }
`,
    );
    const tokens = await Promise.all(
      USERS.map(
        async (name) => JSON.parse((await bench.call(['token', 'add', name, '--json'])).stdout).token,
      ),
    );
    const served = new Served(bench);
    await served.start();
    const flood = floodOf(served);
    const sessions = await Promise.all(
      tokens.flatMap((token) =>
        Array.from({ length: SESSIONS_EACH }, async () => {
          const { answer } = await obey(served, { token, path: '/api/sessions', body: {} });
          return { token, id: answer.id };
        }),
      ),
    );
    let accepted = 0;
    const reached = (count: number) =>
      expect.poll(() => accepted, { timeout: 120_000 }).toBeGreaterThan(count);
    const sends = Array.from({ length: SENDS }, async (_, index) => {
      const { token, id } = sessions[index % sessions.length] ?? { token: '', id: '' };
      const path = `/api/sessions/${id}/messages`;
      // They do not all begin at once, so that each kind of trouble meets some.
      await new Promise((resolve) => setTimeout(resolve, index * 20));
      const result = await obey(served, {
        token,
        path,
        body: { content: `message ${index}.`, id: `m${index}` },
      });
      accepted += 1;
      return result;
    });
    await reached(50);
    await fill(join(disk, 'filler'));
    await expect.poll(() => refusalsOf(served, tokens[0] ?? ''), { timeout: 60_000 }).toBe(507);
    await served.kill();
    await rm(join(disk, 'filler'));
    await served.start();
    await reached(250);
    await served.kill();
    await served.start();
    const results = await Promise.all(sends);
    expect(results.flatMap(({ mute }) => mute)).toEqual([]);

    const lost: string[] = [];
    for (const [place, { token, id }] of sessions.entries()) {
      const client = createClient({ baseUrl: served.url, token });
      const isIdle = async () => {
        const { state, queued } = await client.sessions.get(id);
        return state === 'completed' && queued === 0;
      };
      await expect.poll(isIdle, { timeout: 120_000 }).toBe(true);
      const said = JSON.stringify(await client.sessions.export(id));
      for (let index = place; index < SENDS; index += sessions.length)
        if (said.split(`message ${index}.`).length < 2) lost.push(`m${index} in ${id}`);
    }
    expect(lost).toEqual([]);
    expect(await flood.end()).toBeGreaterThan(0);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}, 600_000);

/** Sends wrong tokens until it is ended, and returns how many were refused. */
function floodOf(served: Served): { end: () => Promise<number> } {
  let isOver = false;
  let refused = 0;
  const one = async () => {
    while (!isOver) {
      await served.up.promise;
      const response = await fetch(`${served.url}/api/sessions`, {
        headers: { authorization: `Bearer wrong-${'x'.repeat(32)}` },
      }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => undefined);
      if (response?.status === 429 || response?.status === 401) refused += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const all = Promise.all([one(), one(), one()]);
  return {
    async end() {
      isOver = true;
      await all;
      return refused;
    },
  };
}

/** The status of a request that must write. */
async function refusalsOf(served: Served, token: string): Promise<number> {
  const response = await fetch(`${served.url}/api/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ task: 'x'.repeat(1_900) }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function fill(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, '..'));
  await writeFile(path, new Uint8Array(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
}

function mounts(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // Only root may mount: the caller skips.
  }
}
