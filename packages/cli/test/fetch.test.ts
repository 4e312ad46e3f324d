import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { hasToolCall } from '@longhaul/scripted-model';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Bench } from './harness.ts';

let bench: Bench;
let site: string;
let asked: number;

beforeEach(async () => {
  bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Release notes</h1><p>All is new.</p>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  site = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});

/** Lets the model read the page once, and returns what it was offered and got. */
async function runWith(config: string, flags: readonly string[] = []) {
  await writeFile(bench.userFile, config);
  const { server, flags: model } = await bench.serve({
    script: ({ messages }) =>
      hasToolCall(messages, 'fetch')
        ? 'Done.'
        : { text: '', toolCalls: [{ name: 'fetch', arguments: { url: `http://${site}/notes` } }] },
  });
  const { code } = await bench.call(['run', 'Read it', '-q', '--sandbox', 'local', ...model, ...flags]);
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  return { code, offered: bodies[0]?.includes('"name":"fetch"'), got: bodies.at(-1) ?? '' };
}

it('reads a page of an allowed host of this machine', async () => {
  const { code, offered, got } = await runWith(`tools: { fetch: { privateHosts: ["${site}"] } }\n`);
  expect([code, offered, asked]).toEqual([0, true, 1]);
  expect(got).toContain('# Release notes\\n\\nAll is new.');
});

it('reads nothing of this machine by default, and not if only an untrusted project allows it', async () => {
  await writeFile(join(bench.workspace, 'longhaul.yml'), `tools: { fetch: { privateHosts: ["${site}"] } }\n`);
  const { got } = await runWith('');
  expect(got).toContain('belongs to this machine, which fetch does not read');
  expect(asked).toBe(0);
});

it('does not exist if the network of the sandbox is off', async () => {
  const config = `tools: { fetch: { privateHosts: ["${site}"] } }\nagents: { coder: { tools: [read, fetch] } }\n`;
  const { offered, got } = await runWith(config, ['--network', 'off']);
  expect([offered, asked]).toEqual([false, 0]);
  expect(got).toContain('There is no tool');
});

it('follows approval rules for URLs', async () => {
  const rules = `approvals: [{ tool: fetch, url: "${site}/notes", action: deny }]\n`;
  const { got } = await runWith(`tools: { fetch: { privateHosts: ["${site}"] } }\n${rules}`);
  expect(got).toContain('the approval rule for');
  expect(asked).toBe(0);
});
