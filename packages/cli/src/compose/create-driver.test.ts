import { createServer } from 'node:http';
import { createMemoryServerMemory } from '@longhaul/storage';
import { expect, it } from 'vitest';
import { createDriver } from './create-driver.ts';

/** Serves a report like that of llama.cpp, and calls `use` with its address. */
async function withServer<T>(props: object, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/props' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url === '/props' ? props : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    return await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it.each([
  [1, 8_192, 8_192],
  [4, 8_192, undefined],
  [4, 32_768, 32_768],
])('with %i slots, stores the window %i that a refusal names as %s', async (slots, named, stored) => {
  const props = { default_generation_settings: { n_ctx: 16_384 }, total_slots: slots };
  await withServer(props, async (baseUrl) => {
    const memory = createMemoryServerMemory();
    const { driver, window } = await createDriver(
      { provider: 'mine', model: 'any', kind: 'openai-compatible', serverKind: 'llamacpp', baseUrl },
      { stallMs: 0, memory: Promise.resolve(memory) },
    );
    expect(window.windowTokens).toBe(16_384);
    await driver.serverWindow?.learned(named);
    expect(await memory.learnedWindow({ baseUrl, model: 'any' }, 16_384)).toBe(stored);
  });
});
