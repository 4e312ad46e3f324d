import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectEmbeddedModel, type EmbeddedModel } from '@longhaul/embedded';
import type { ChatCompletion } from '@longhaul/protocol';
import { lacks, llamaProblem } from '@longhaul/testing/machine';
import { type TinyModelOptions, toolCallText, writeTinyModel } from '@longhaul/testing/tiny-model';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Bench } from './harness.ts';

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
  return { path, begin, run: (task: string) => bench.call([...args(task), '--yes'], { env }) };
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
  const { code, stdout } = await run('Read the four parts');
  expect(stdout).toMatch(/window 4\.1k/);
  expect(stdout).toMatch(/[1-9]\d* compactions?/);
  expect(stdout).toContain('All four of the parts were read to their ends.');
  expect(code).toBe(0);
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
});
