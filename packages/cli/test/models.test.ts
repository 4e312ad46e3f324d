import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

/** A server with the model list of LM Studio. */
async function lmStudio() {
  const models = [
    { key: 'idle-llama', type: 'llm', loaded_instances: [] },
    {
      key: 'seer-sonnet',
      type: 'vlm',
      loaded_instances: [{ id: 'seer-sonnet', config: { context_length: 8192 } }],
    },
  ];
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/api/v1/models' ? 200 : 404;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ models }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('longhaul models', () => {
  it('lists the models of a configured local server before those of the catalogue', async () => {
    await using bench = await Bench.open();
    await using server = await lmStudio();
    const config = { providers: { studio: { kind: 'lmstudio', baseUrl: server.url } } };
    await writeFile(bench.userFile, JSON.stringify(config));
    const { code, stdout } = await bench.call(['models', 'Sonnet', '--json']);
    const found = linesOf(stdout).map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(found[0]).toEqual({
      name: 'studio/seer-sonnet',
      provider: 'studio',
      model: 'seer-sonnet',
      source: 'server',
      loaded: true,
      windowTokens: 8192,
      accepts: { images: true },
    });
    expect(found.find(({ name }) => name === 'anthropic/claude-sonnet-4-5')).toMatchObject({
      source: 'catalogue',
      windowTokens: 200_000,
      maxOutputTokens: 64_000,
      price: { input: 3, output: 15 },
      accepts: { images: true, files: true },
      reasoning: true,
    });
    expect(found.every(({ name }) => name.toLowerCase().includes('sonnet'))).toBe(true);
  });

  it.each([
    [['opus', '4.7'], 'anthropic/claude-opus-4-7'],
    [['Opus 4-7'], 'anthropic/claude-opus-4-7'],
    [['gpt', '5-1'], 'openai/gpt-5.1'],
    [['gpt_5.1'], 'openai/gpt-5.1'],
  ])('finds a model by %j, however its version is written', async (words, name) => {
    await using bench = await Bench.open();
    const { stdout } = await bench.call(['models', 'list', ...words, '--json']);
    expect(linesOf(stdout).map((line) => JSON.parse(line).name)).toContain(name);
  });

  it('prints a table, and takes the word list as no word to find', async () => {
    await using bench = await Bench.open();
    const { code, stdout } = await bench.call(['models', 'list', 'anthropic', 'sonnet-4-5']);
    expect(code).toBe(0);
    const [head, first] = linesOf(stdout);
    expect(head?.split(/ {2,}/)).toEqual(['model', 'window', 'output', '$/M in', '$/M out']);
    expect(first?.split(/ {2,}/)).toEqual([
      'anthropic/claude-sonnet-4-5',
      '200k',
      '64k',
      '3',
      '15',
      'images, files, reasoning',
    ]);
    expect(stdout).toMatch(/list of \d{4}-\d{2}-\d{2}\.\n$/);
  });

  it('explains what to do if nothing is found', async () => {
    await using bench = await Bench.open();
    const { code, stdout } = await bench.call(['models', 'no-such-model']);
    expect(code).toBe(1);
    expect(stdout).toContain('--base-url URL');
  });

  it('lists the models that can run inside Longhaul, and refuses to delete what is no model', async () => {
    await using bench = await Bench.open();
    const listed = await bench.call(['models', 'list', '--embedded', '--json']);
    const found = linesOf(listed.stdout).map((line) => JSON.parse(line));
    expect(found[0]).toMatchObject({ name: 'qwen3-4b', licence: 'Apache-2.0', isPulled: false });
    expect(found.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const table = (await bench.call(['models', 'list', '--embedded'])).stdout;
    for (const { name } of found) expect(table).toMatch(new RegExp(`${RegExp.escape(name)} .* not verified`));
    expect(await bench.call(['models', 'ls'])).toMatchObject({ code: 1, stderr: '' });
    expect((await bench.call(['models', 'rm', '..'])).stderr).toContain('No model called ".." was fetched');
    expect(await bench.call(['models', 'pull'])).toMatchObject({ code: 2 });
    const unfetched = await bench.call(['run', 'Hi', '--model', 'embedded:qwen3-4b', '--sandbox', 'local']);
    expect(unfetched).toMatchObject({ code: 2 });
    expect(unfetched.stderr).toContain('longhaul models pull qwen3-4b');
  });
});
