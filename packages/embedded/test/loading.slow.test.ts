import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processExists, processesWith } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { TinyPlace } from './tiny-place.ts';

/** Installs a library that does this instead of loading a model. */
async function installLibrary(folder: string, code: string): Promise<void> {
  for (const [name, text] of [
    ['node-llama-cpp', `export const getLlama = () => ${code};`],
    ['node-llama-cpp/node_modules/@huggingface/jinja', 'export {};'],
  ] as const) {
    const place = join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{"type":"module","exports":"./index.js"}');
    await writeFile(join(place, 'index.js'), text);
  }
}

it.skipIf(process.platform !== 'linux')(
  'a signal and an idle time end a process that still loads',
  async () => {
    for (const idleMs of [60_000, 500]) {
      await using place = await TinyPlace.open({ answers: [{ text: 'Yes.' }] });
      await installLibrary(place.folder, 'new Promise(() => {})');
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
