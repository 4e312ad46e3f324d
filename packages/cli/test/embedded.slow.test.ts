import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import type { SessionLog } from '@longhaul/core';
import { connectEmbeddedModel, type EmbeddedModel } from '@longhaul/embedded';
import type { ChatCompletion, LonghaulEvent } from '@longhaul/protocol';
import { lacks, llamaProblem, processesWith } from '@longhaul/testing/machine';
import { type TinyModelOptions, toolCallText, writeTinyModel } from '@longhaul/testing/tiny-model';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { killInMidAnswer } from './kill-in-mid-answer.ts';

let problem: string | undefined;
beforeAll(async () => {
  problem = await llamaProblem();
});
beforeEach(({ skip }) => {
  if (problem !== undefined) lacks('llama', problem, skip);
});

let bench: Bench;
let connection: EmbeddedModel;
afterEach(async () => {
  if (problem !== undefined) return;
  process.kill((await connection.facts()).pid, 'SIGKILL');
  await bench[Symbol.asyncDispose]();
});

/** Writes a tiny model into the workspace, and returns what runs a task with it. */
async function withModel(answers: TinyModelOptions['answers'], settings = '') {
  bench = await Bench.open();
  const path = join(bench.root, 'tiny.gguf');
  await writeTinyModel(path, { answers });
  await writeFile(bench.userFile, `embedded: { gpu: false${settings} }\nsessions: { titles: false }\n`);
  const folder = join(bench.root, 'cache');
  await mkdir(join(folder, 'longhaul', 'embedded'), { recursive: true });
  const env = { XDG_RUNTIME_DIR: bench.root, XDG_CACHE_HOME: folder };
  connection = await connectEmbeddedModel({
    path,
    folder: join(folder, 'longhaul', 'embedded'),
    env,
    gpu: false,
  });
  const begin = (...args: string[]) => bench.begin(args, { env });
  const args = (task: string) => ['run', task, '--model', `embedded:${path}`, '--sandbox', 'local'];
  const run = (task: string, ...flags: string[]) => bench.call([...args(task), '--yes', ...flags], { env });
  return { path, begin, run };
}

/** A text without its line breaks. */
function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

it('runs a task with a tool call through real inference, in two sessions at once', async () => {
  const { run } = await withModel([
    { when: 'last.role == "tool"', text: 'I wrote the greeting into its file.' },
    {
      text: `Now I write it.\n${toolCallText('write', { path: 'hello.txt', content: 'hello big world\n' })}`,
    },
  ]);
  const ended = await Promise.all([run('Greet the world'), run('Greet the world again')]);
  for (const { code, stdout, stderr } of ended) {
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('I wrote the greeting into its file.');
    expect(stdout).toMatch(/2 steps/);
  }
  expect(await readFile(join(bench.workspace, 'hello.txt'), 'utf8')).toBe('hello big world\n');
});

it('compacts at a window of 4,096 tokens, and finishes the task', async () => {
  const reads = (part: number) =>
    `Next comes part ${part} of them.\n${toolCallText('read', { path: `part-${part}.txt` })}`;
  const { run } = await withModel(
    [
      { when: 'not tools', text: 'The user wants all parts of the text to be read. Some were read already.' },
      { when: '"PART 1" in last.content', text: reads(2) },
      { when: '"PART 2" in last.content', text: reads(3) },
      { when: '"PART 3" in last.content', text: reads(4) },
      { when: '"PART 4" in last.content', text: 'All four of the parts were read to their ends.' },
      { text: reads(1) },
    ],
    ', window: 4096',
  );
  for (const part of [1, 2, 3, 4]) {
    const text = 'The train stops at each station, and people go in and out of it.\n'.repeat(40);
    await writeFile(join(bench.workspace, `part-${part}.txt`), `PART ${part}\n${text}PART ${part}\n`);
  }
  const { code, stdout } = await run('Read the four parts', '--json');
  expect(code).toBe(0);
  const events: LonghaulEvent[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.findLast(({ type }) => type === 'run:finished')).toMatchObject({
    status: 'completed',
    text: 'All four of the parts were read to their ends.',
  });
  const compacted = events.findIndex(({ type }) => type === 'context:compressed');
  const next = events.slice(compacted).find((event) => event.type === 'llm:response');
  const usage = events.find((event) => event.type === 'context:usage');
  // The model does not read its instructions and tools again.
  expect(next?.tokenUsage?.cacheReadTokens).toBeGreaterThan(usage?.toolTokens ?? Number.NaN);
});

it('starts a process that was killed between two steps again', async () => {
  const { run } = await withModel([
    { when: 'last.role == "tool"', text: 'The process was ended, and I am back all the same.' },
    { text: `I end myself.\n${toolCallText('bash', { command: 'kill -9 $(cat pid)' })}` },
  ]);
  const { pid } = await connection.facts();
  await writeFile(join(bench.workspace, 'pid'), String(pid));
  const { code, stdout } = await run('End the process of the model');
  expect(stdout).toContain('The process was ended, and I am back all the same.');
  expect(code).toBe(0);
  expect((await connection.facts()).pid).not.toBe(pid);
});

it('repeats a step once whose model process is killed in the middle of its answer', async () => {
  const text = 'The process of the model was killed here, and the whole answer follows once more.';
  const { run } = await withModel([{ text }]);
  const { pid } = await connection.facts();
  const { killed } = await killInMidAnswer(connection.socketPath, pid);
  const { code, stdout } = await run('Answer me');
  await killed;
  expect(code).toBe(0);
  expect(stdout.match(/↻/g)).toHaveLength(1);
  expect(words(stdout).split('follows once more')).toHaveLength(2);
  expect((await connection.facts()).pid).not.toBe(pid);
  const { messages }: SessionLog = JSON.parse((await bench.call(['show', 'last', '--json'])).stdout);
  const answers = messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts);
  // The first words are kept as such, as with every interrupted answer.
  expect(answers).toMatchObject([
    { state: 'interrupted', text: expect.stringMatching(/^The/) },
    { state: 'done', text },
  ]);
});

it('answers two sessions of a server at once, with one process', async () => {
  const { path, begin } = await withModel([
    { when: '"second" in last.content', text: 'This is the answer to the second one.' },
    { text: 'This is the answer to the first one.' },
  ]);
  const { firstLine } = await begin('serve', '--port', '0', '--json');
  const { url, tokenFile } = JSON.parse(firstLine);
  const client = createClient({ baseUrl: url, token: (await readFile(tokenFile, 'utf8')).trim() });
  const answers = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const { id } = await client.sessions.create({ model: `embedded:${path}` });
      await client.sendMessage(id, `Answer the ${name} one`);
      for await (const event of client.events(id, { after: 0 }))
        if (event.type === 'run:finished') return event.text;
      return undefined;
    }),
  );
  expect(answers).toEqual(['first', 'second'].map((name) => `This is the answer to the ${name} one.`));
  expect(processesWith(connection.socketPath)).toHaveLength(1);
});

it('is an upstream of the gateway, with calls in the form of the API', async () => {
  const input = { path: 'hello.txt', content: 'hello' };
  const { path, begin } = await withModel([{ text: toolCallText('write', input) }]);
  const { firstLine } = await begin('gateway', '--upstream', `embedded:${path}`, '--port', '0', '--json');
  const { url }: { url: string } = JSON.parse(firstLine);
  const parameters = { type: 'object', properties: { path: { type: 'string' } } };
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'tiny',
      messages: [{ role: 'user', content: 'Write.' }],
      tools: [{ type: 'function', function: { name: 'write', description: 'Writes.', parameters } }],
    }),
  });
  const { choices }: ChatCompletion = JSON.parse(await response.text());
  expect(JSON.parse(choices[0]?.message.tool_calls?.[0]?.function.arguments ?? '')).toEqual(input);
  const models: { data: { id: string }[] } = JSON.parse(await (await fetch(`${url}/models`)).text());
  expect(models.data.map(({ id }) => id)).toEqual(['tiny']);
  const status: unknown = await (await fetch(url.replace(/v1$/, 'status'))).json();
  expect(status).toMatchObject({ upstreams: [{ baseUrl: `embedded:${path}` }] });
});
