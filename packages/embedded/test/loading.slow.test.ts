import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { installLibrary, LOADS_FOR_EVER } from '@longhaul/testing/install-library';
import { processExists, processesWith } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import type { EmbeddedModel } from '../src/index.ts';
import { TinyPlace } from './tiny-place.ts';

const PROGRAM = fileURLToPath(new URL('./waiting-client.ts', import.meta.url));

/** A place whose model never finishes loading. */
async function loadingPlace(): Promise<TinyPlace> {
  const place = await TinyPlace.open({ answers: [{ text: 'Yes.' }] });
  await installLibrary(place.folder, LOADS_FOR_EVER);
  return place;
}

/** Resolves when the model has no process. */
async function untilEnded({ socketPath }: EmbeddedModel): Promise<void> {
  await expect.poll(() => processesWith(socketPath), { timeout: 40_000 }).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('a model that is being loaded', () => {
  it('is given up by a cancel, at once, and then has no process', async () => {
    await using place = await loadingPlace();
    const model = await place.connect();
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [one, two].map(({ signal }) => model.facts(signal));
    await model.start();
    one.abort();
    await expect(waits[0]).rejects.toMatchObject({ code: 'cancelled' });
    two.abort();
    await expect(waits[1]).rejects.toMatchObject({ code: 'cancelled' });
    await untilEnded(model);
  });

  it('has no process after the program that waits for it, or that it ends with, was killed', async () => {
    for (const mode of ['waits', 'ends']) {
      await using place = await loadingPlace();
      const model = await place.connect();
      const client = spawn(process.execPath, ['--conditions=longhaul-src', PROGRAM, place.folder, mode], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(client.stdout, 'data');
      expect(processesWith(model.socketPath)).toHaveLength(1);
      client.kill('SIGKILL');
      await untilEnded(model);
    }
  });
});

it.skipIf(process.platform !== 'linux')(
  'a signal and an idle time end a process that still loads',
  async () => {
    for (const idleMs of [60_000, 500]) {
      await using place = await TinyPlace.open({ answers: [{ text: 'Yes.' }] });
      await installLibrary(place.folder, LOADS_FOR_EVER);
      const model = await place.connect({ idleMs });
      await model.start();
      const [pid] = processesWith(model.socketPath).map(Number);
      if (pid === undefined) throw new Error('There is no process.');
      if (idleMs > 1_000) process.kill(pid, 'SIGTERM');
      await expect.poll(() => processExists(pid), { timeout: 10_000 }).toBe(false);
      expect(processesWith(model.socketPath)).toEqual([]);
    }
  },
);

it('a process that ends while it loads is reported as such', async () => {
  await using place = await TinyPlace.open({ answers: [{ text: 'Yes.' }] });
  await installLibrary(place.folder, "process.kill(process.pid, 'SIGKILL')");
  const model = await place.connect();
  await expect(model.facts()).rejects.toMatchObject({ code: 'provider_unreachable' });
});

it('a library that cannot be used at once is reported by its reason', async () => {
  await using place = await TinyPlace.open({ answers: [{ text: 'Yes.' }] });
  await installLibrary(place.folder, "Promise.reject(new Error('No such processor.'))");
  const model = await place.connect();
  await model.start();
  await expect(model.facts()).rejects.toThrow('No such processor.');
});
