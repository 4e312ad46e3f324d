import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import Anthropic from '@anthropic-ai/sdk';
import { lacks } from '@longhaul/testing/machine';
import OpenAI from 'openai';
import { beforeEach, expect, test } from 'vitest';
import { startTestGateway } from './start-test-gateway.ts';

/** The program, and after a comma the model: `/opt/llama/llama-server,/opt/llama/tiny.gguf`. */
const [PROGRAM = '', MODEL = ''] = (process.env['LONGHAUL_LLAMA_SERVER'] ?? '').split(',');
const POOL = 8_192;

/** Starts llama-server on a free port, with a window of 8,192 tokens. */
async function startLlama(...flags: string[]) {
  const args = ['-m', MODEL, '--port', '0', '-c', String(POOL), '--jinja', '-t', '1', ...flags];
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const origin = await addressOf(child);
  return {
    url: `${origin}/v1`,
    async busySlots(): Promise<number> {
      const slots: unknown = await (await fetch(`${origin}/slots`)).json();
      return Array.isArray(slots) ? slots.filter(({ is_processing }) => is_processing === true).length : 0;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The server logs its address when the model is loaded. */
async function addressOf(child: ChildProcess): Promise<string> {
  let log = '';
  for await (const text of child.stderr ?? []) {
    log += text;
    const [, address] = /listening on (http:\/\/[\w.:]+)/.exec(log) ?? [];
    if (address === undefined) continue;
    // Nobody reads the rest, and a full pipe would stop the server.
    child.stderr?.resume();
    return address;
  }
  throw new Error(`llama-server ended: ${log.slice(-2_000)}`);
}

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: 'any', maxRetries: 0 });
}

type Messages = OpenAI.ChatCompletionMessageParam[];

const long = (topic: string, words: number): Messages => [
  { role: 'user', content: `${topic}: ${'river '.repeat(words)}` },
];

const talk = (turns: number): Messages =>
  Array.from({ length: 2 * turns + 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index}: ${'rivers flow to the sea, '.repeat(20)}and so on.`,
  }));

beforeEach(({ skip }) => {
  if (MODEL === '') lacks('llama-server', 'LONGHAUL_LLAMA_SERVER names no program and model', skip);
});

test('compacts a chat that is longer than its window, without a refusal', async () => {
  await using server = await startLlama('--parallel', '1');
  await using gateway = await startTestGateway(server.url, { notices: 'off' });
  const { completions } = clientOf(gateway.url).chat;
  for (const turns of [30, 60]) {
    const stream = await completions.create({
      model: 'm',
      messages: talk(turns),
      stream: true,
      max_tokens: 20,
    });
    const finishes: unknown[] = [];
    for await (const { choices } of stream)
      finishes.push(...choices.map(({ finish_reason }) => finish_reason));
    expect(finishes.at(-1)).toBe('length');
  }
  const [status] = gateway.status().models;
  expect(status).toMatchObject({ windowTokens: POOL, overflows: 0, silentCuts: 0 });
  expect(status?.compactions).toBeGreaterThanOrEqual(1);
  // The server enforces the schema of a selection.
  const warnings = gateway.logged.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings.filter((message) => message.includes('prose'))).toEqual([]);
});

test('compacts requests to /v1/responses and /v1/messages', async () => {
  await using server = await startLlama('--parallel', '1');
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none' });
  const messages = talk(30);
  const input = messages.map(({ role, content }) => ({ role, content: String(content) }));
  // llama.cpp requires the type of an assistant message.
  const asked = input.map((item) => ({ type: 'message', ...item })) as OpenAI.Responses.EasyInputMessage[];
  const response = await clientOf(gateway.url).responses.create({
    model: 'm',
    input: asked,
    max_output_tokens: 9,
  });
  expect(response.usage?.output_tokens).toBe(9);
  const anthropic = new Anthropic({
    baseURL: gateway.url.replace(/\/v1$/, ''),
    apiKey: 'any',
    maxRetries: 0,
  });
  const stream = anthropic.messages.stream({
    model: 'm',
    max_tokens: 9,
    messages: input as Anthropic.MessageParam[],
  });
  expect((await stream.finalMessage()).usage.output_tokens).toBe(9);
  const { input_tokens } = await anthropic.messages.countTokens({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(input_tokens).toBeGreaterThan(1);
  expect(gateway.status().models[0]).toMatchObject({ overflows: 0, compactedRequests: 2 });
});

test('answers chats at the same time whose sum is larger than the window of its default slots', async () => {
  await using server = await startLlama();
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none' });
  const { completions } = clientOf(gateway.url).chat;
  const ask = (topic: string) =>
    completions.create({ model: 'm', messages: long(topic, 4_700), max_tokens: 10 });
  const answers = await Promise.all(['a', 'b', 'c'].map(ask));
  expect(answers.map(({ usage }) => usage?.completion_tokens)).toEqual([10, 10, 10]);
  expect(gateway.status().models[0]).toMatchObject({ compactions: 0, overflows: 0 });
});

test('stops a summary if the client leaves', async () => {
  await using server = await startLlama('--parallel', '1');
  await using gateway = await startTestGateway(server.url);
  const leaving = new AbortController();
  const asking = clientOf(gateway.url).chat.completions.create(
    { model: 'm', messages: talk(60) },
    { signal: leaving.signal },
  );
  await expect.poll(() => server.busySlots()).toBe(1);
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await expect.poll(() => server.busySlots()).toBe(0);
});
