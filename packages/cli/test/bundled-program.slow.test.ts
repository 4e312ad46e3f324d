import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { imageSizeOf } from '@longhaul/models';
import { noisePng } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const BIN = fileURLToPath(new URL('../bin/longhaul.js', import.meta.url));
const run = promisify(execFile);

/** A model of Anthropic, which takes images of at most 8,000 pixels a side. */
const MODEL = 'claude-sonnet-4-5';

const ANSWER = [
  {
    type: 'message_start',
    message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3_000 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I see it.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

/** A server that answers every request, and keeps what it was sent. */
async function modelServer() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of ANSWER) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    bodies,
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Runs a task without the condition longhaul-src, so the program is the bundle. */
function runBundle(bench: Bench, task: string, nodeFlags: readonly string[] = []) {
  const args = ['run', task, '--quiet', '--sandbox', 'local', '--yes', '-m', `anthropic/${MODEL}`];
  return run(process.execPath, [...nodeFlags, BIN, ...args], {
    cwd: bench.workspace,
    env: { PATH: process.env['PATH'], HOME: bench.home },
  });
}

async function configure(bench: Bench, baseUrl: string): Promise<void> {
  const provider = { kind: 'anthropic', baseUrl, apiKey: 'key' };
  await writeFile(bench.userFile, JSON.stringify({ providers: { anthropic: provider } }));
}

it('scales a large image down with the decoder that the published program contains', async () => {
  await using bench = await Bench.open();
  await using server = await modelServer();
  await configure(bench, server.url);
  await writeFile(join(bench.workspace, 'wide.png'), noisePng(8_200, 20));

  const { stdout } = await runBundle(bench, 'See @wide.png');
  expect(stdout.trim()).toBe('I see it.');
  const [, data = ''] = /"data":"([A-Za-z0-9+/=]+)"/.exec(server.bodies.at(-1) ?? '') ?? [];
  expect(imageSizeOf(data)?.width).toBe(8_000);
});

it("loads neither Markdown nor the chat's prompt in a run whose output is not a terminal", async () => {
  await using bench = await Bench.open();
  await using server = await modelServer();
  await configure(bench, server.url);
  const recorder = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });
  `)}`;
  const { stderr } = await runBundle(bench, 'Hello', ['--import', recorder]);
  const loaded = linesOf(stderr).filter((line) => line.includes('/cli/bundle/'));
  expect(loaded).not.toEqual([]);

  const folder = new URL('../bundle/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  for (const mark of ['emStrongLDelim', 'chat/screen/scroll-screen.js']) {
    const marked = files.filter((_, index) => texts[index]?.includes(mark));
    expect(marked, mark).not.toEqual([]);
    expect(
      loaded.filter((url) => marked.some((name) => url.endsWith(name))),
      mark,
    ).toEqual([]);
  }
});
