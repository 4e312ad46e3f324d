import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { createPersonaServer, type PersonaName, type Script } from '@longhaul/scripted-model';
import { generateText, type ModelMessage, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startTestGateway } from './start-test-gateway.ts';

const WINDOW = 8_192;
const TURNS = 200;
const PERSONAS: readonly PersonaName[] = ['lmstudio', 'llamacpp', 'ollama', 'vllm'];

const SUMMARY = 'The user asks about rivers; the assistant names them and their lengths. Nothing is open.';

/** Answers with about a hundred words, and with a summary if one is requested. */
const chatty: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary) return SUMMARY;
  const last = messages.at(-1)?.content;
  return `About ${typeof last === 'string' ? last.slice(0, 20) : 'it'}: ${'a river flows through the old valley and on. '.repeat(12)}`;
};

type Chat = { role: 'user' | 'assistant' | 'system'; content: string }[];

/** A chat front-end that sends the whole conversation each turn. */
async function talk(turns: number, ask: (chat: Chat) => Promise<string>): Promise<Chat> {
  const chat: Chat = [{ role: 'system', content: 'You know rivers. Answer in English.' }];
  for (let turn = 1; turn <= turns; turn += 1) {
    chat.push({
      role: 'user',
      content: `Question ${turn}: which river is number ${turn}, and how long is it?`,
    });
    chat.push({ role: 'assistant', content: await ask(chat) });
  }
  return chat;
}

test.each(PERSONAS)('%s: gives 200 answers in a window of 8k without a refusal', async (persona) => {
  await using server = await createPersonaServer({
    persona,
    windowTokens: WINDOW,
    script: chatty,
    chunkChars: 200,
  });
  await using gateway = await startTestGateway(server.url);
  const client = new OpenAI({ baseURL: gateway.url, apiKey: 'any', maxRetries: 0 });
  const { model } = server;
  const chat = await talk(TURNS, async (messages) => {
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    return text;
  });
  const answers = chat.filter(({ role }) => role === 'assistant');
  expect(answers.filter(({ content }) => content.includes('a river flows')).length).toBe(TURNS);
  expect(server.overflows).toBe(0);
  const [status] = gateway.status().models;
  expect(status).toMatchObject({ windowTokens: WINDOW, requests: TURNS, overflows: 0, silentCuts: 0 });
  expect(status?.compactions).toBeGreaterThanOrEqual(4);
  // Each compaction frees a quarter of the window for new turns.
  const turnTokens = (server.requests[2]?.promptTokens ?? 0) - (server.requests[1]?.promptTokens ?? 0);
  expect(TURNS / ((status?.compactions ?? 0) + 1)).toBeGreaterThanOrEqual(
    Math.floor(WINDOW / 4 / turnTokens),
  );
  // Between two compactions, each request of the client begins with the previous one. Summaries are streamed, too.
  const asked = new Set<unknown>(chat.map(({ content }) => content));
  const sent = server.requests
    .filter(({ body }) => body?.stream === true)
    .map(({ body }) => body?.messages ?? [])
    .filter((messages) => asked.has(messages.at(-1)?.content));
  expect(sent).toHaveLength(TURNS);
  const broken = sent.slice(1).filter((messages, index) => {
    const before = sent[index] ?? [];
    return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before);
  });
  expect(broken.length).toBeLessThanOrEqual(status?.compactions ?? 0);
});

test.each(PERSONAS)('%s: serves the AI SDK and LangChain', async (persona) => {
  await using server = await createPersonaServer({ persona, windowTokens: 2_048, script: chatty });
  await using gateway = await startTestGateway(server.url, { notices: 'off' });
  const provider = createOpenAICompatible({ name: 'gateway', baseURL: gateway.url });
  const model = provider.chatModel(server.model);
  const viaSdk = await talk(10, async (chat) => {
    const messages = chat.filter(({ role }) => role !== 'system') as ModelMessage[];
    const request = { model, system: 'You know rivers.', messages, maxRetries: 0 };
    return chat.length % 4 === 0 ? (await generateText(request)).text : await streamText(request).text;
  });
  const langchain = new ChatOpenAI({
    model: server.model,
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL: gateway.url },
  });
  const viaLangChain = await talk(10, async (chat) => {
    let text = '';
    for await (const chunk of await langchain.stream(chat)) text += chunk.text;
    return text;
  });
  for (const chat of [viaSdk, viaLangChain]) {
    expect(chat.filter(({ content }) => content.includes('a river flows')).length).toBe(10);
  }
  expect(server.overflows).toBe(0);
  expect(gateway.status().models[0]?.compactions).toBeGreaterThan(1);
});
