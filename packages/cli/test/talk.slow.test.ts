import { readFile, writeFile } from 'node:fs/promises';
import { createClient, type LonghaulClient } from '@longhaul/client';
import type { Script } from '@longhaul/scripted-model';
import { expect, it, onTestFinished } from 'vitest';
import { Bench } from './harness.ts';

/** Writes to the other session until that is refused: two sessions that answer each other for ever. */
const chatters: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return 'Done.';
  const text = JSON.stringify(last?.content);
  const session = text.includes('Message from session \\"Alpha\\"') ? 'Alpha' : 'Beta';
  return { toolCalls: [{ name: 'send', arguments: { session, message: 'And you?' } }] };
};

async function served(
  talk: string,
): Promise<{ bench: Bench; client: LonghaulClient; tools: () => string[] }> {
  const bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  let tools: string[] = [];
  const script: Script = (request) => {
    tools = request.tools.map((tool) => tool.function.name);
    return tools.includes('send') ? chatters(request) : 'No tool.';
  };
  const { server } = await bench.serve({ script });
  await writeFile(
    bench.userFile,
    `model: openai-compatible/scripted\nproviders: { openai-compatible: { baseUrl: "${server.url}" } }\nsandbox: { driver: local }\nsessions: { talk: ${talk} }\n`,
  );
  const running = bench.start(['serve', '--port', '0', '--json']);
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  const client = createClient({ baseUrl: url, token: (await readFile(tokenFile, 'utf8')).trim() });
  return { bench, client, tools: () => tools };
}

it('ends the conversation of two sessions that always answer, and wakes an idle one', async () => {
  const { client } = await served('["Alpha", "Beta"]');
  const alpha = await client.sessions.create({ title: 'Alpha' });
  const beta = await client.sessions.create({ title: 'Beta' });
  await client.sendMessage(alpha.id, 'Ask Beta.');
  const origins = async (id: string) =>
    (await client.messages(id, { limit: 100 })).messages.flatMap(({ metadata }) => metadata?.origins ?? []);
  const hops = async (id: string) => (await origins(id)).map((origin) => origin.hops);
  await expect.poll(() => hops(beta.id)).toEqual([1, 3]);
  await expect.poll(() => hops(alpha.id)).toEqual([2, 4]);
  await expect
    .poll(async () => (await client.messages(alpha.id, { limit: 100 })).messages.at(-1)?.parts)
    .toMatchObject([{ text: 'Done.' }]);
  const { messages } = await client.messages(alpha.id, { limit: 100 });
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
  expect(calls.map(({ state }) => state)).toEqual(['completed', 'completed', 'error']);
  expect(JSON.stringify(calls.at(-1))).toContain('without a word of the user');
  expect(await origins(beta.id)).toMatchObject([{ sessionId: alpha.id }, { sessionId: alpha.id }]);
});

it('has no tool that writes to sessions unless the user allows some', async () => {
  const { client, tools } = await served('[]');
  const alpha = await client.sessions.create({ title: 'Alpha' });
  await client.sendMessage(alpha.id, 'Ask Beta.');
  await expect.poll(tools).toContain('bash');
  expect(tools()).not.toContain('send');
});
