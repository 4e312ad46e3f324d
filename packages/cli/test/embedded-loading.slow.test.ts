import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { connectEmbeddedModel } from '@longhaul/embedded';
import { installLibrary, LOADS_FOR_EVER } from '@longhaul/testing/install-library';
import { processesWith } from '@longhaul/testing/machine';
import { writeTinyModel } from '@longhaul/testing/tiny-model';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

/** A model whose process never finishes loading it. */
async function withLoadingModel(bench: Bench) {
  const path = join(bench.root, 'tiny.gguf');
  await writeTinyModel(path, { answers: [{ text: 'Yes.' }] });
  const env = { XDG_RUNTIME_DIR: bench.root, XDG_CACHE_HOME: join(bench.root, 'cache') };
  const folder = join(env.XDG_CACHE_HOME, 'longhaul', 'embedded');
  await mkdir(folder, { recursive: true });
  await installLibrary(folder, LOADS_FOR_EVER);
  await writeFile(bench.userFile, 'embedded: { gpu: false }\nsandbox: { driver: local }\n');
  const { socketPath } = await connectEmbeddedModel({ path, folder, env });
  const processes = () => expect.poll(() => processesWith(socketPath), { timeout: 40_000 });
  return {
    model: `embedded:${path}`,
    env,
    untilStarted: () => processes().toHaveLength(1),
    untilEnded: () => processes().toEqual([]),
  };
}

it.skipIf(process.platform !== 'linux')('a signal ends a run whose model is being loaded', async () => {
  await using bench = await Bench.open();
  const { model, env, untilStarted, untilEnded } = await withLoadingModel(bench);
  const run = bench.start(['run', 'Say yes', '--model', model], { env });
  await untilStarted();
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  expect(stderr).toContain('nobody waits for it any more');
  expect(code).toBe(130);
  await untilEnded();
});

it.skipIf(process.platform !== 'linux')(
  'a cancel over the API ends the wait of a message for its model',
  async () => {
    await using bench = await Bench.open();
    const { model, env, untilStarted, untilEnded } = await withLoadingModel(bench);
    const { firstLine, stop } = await bench.begin(['serve', '--port', '0', '--json'], { env });
    const { url, tokenFile } = JSON.parse(firstLine);
    const client = createClient({ baseUrl: url, token: (await readFile(tokenFile, 'utf8')).trim() });
    const { id } = await client.sessions.create({ model });
    const sent = expect(client.sendMessage(id, 'Say yes')).rejects.toMatchObject({ code: 'cancelled' });
    await untilStarted();
    expect(await client.cancel(id)).toMatchObject({ cancelled: true });
    await sent;
    await untilEnded();
    expect(await client.queue.list(id)).toMatchObject({ messages: [] });
    await stop();
  },
);
