import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import {
  createScriptedModelServer,
  type Script,
  type ScriptedModelServer,
  toolResults,
  userTexts,
} from '@longhaul/scripted-model';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answer as answerWithAiSdk } from './ai-sdk-loop.ts';
import { answer as answerWithMiddleware } from './ai-sdk-middleware.ts';
import { answer as answerWithAnthropic } from './anthropic-loop.ts';
import { answer as answerWithLangChain } from './langchain-loop.ts';
import { answer as answerWithOpenAi } from './plain-openai.ts';
import { answer as answerWithResponses } from './responses-loop.ts';

const WINDOW_TOKENS = 16_384;
const FILES = 30;
const QUESTION = 'Read all files and say which of them sets retryAfterSeconds.';
const SECRET = 'retryAfterSeconds = 47';

let folder: string;
let server: ScriptedModelServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-example-'));
  for (let number = 1; number <= FILES; number += 1) await writeFile(pathOf(number), fileText(number));
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

function pathOf(number: number): string {
  return join(folder, `part${number}.ts`);
}

/** About 2,500 tokens. All files together are five times the window. */
function fileText(number: number): string {
  const lines = Array.from(
    { length: 220 },
    (_, line) => `export const value${number}_${line} = ${line * number};`,
  );
  return [...lines, number === 2 ? `export const ${SECRET};` : '', ''].join('\n');
}

/** Reads all files, then calls `recall` for an early file, and answers from the result. */
function script(): Script {
  let read = 0;
  return ({ messages, asksForSummary }) => {
    if (asksForSummary) return 'The files were read in order; none but the second was of interest.';
    const recalled = toolResults(messages, 'recall').at(-1)?.result;
    if (recalled !== undefined)
      return `It is ${recalled.includes(SECRET) ? 'part2.ts, 47 seconds' : 'unknown'}.`;
    read += 1;
    if (read > FILES)
      return { toolCalls: [{ name: 'recall', arguments: { query: 'retryAfterSeconds = ' } }] };
    return { toolCalls: [{ name: 'read_file', arguments: { path: pathOf(read) } }] };
  };
}

/** The compaction rounds in the requests that the server received. */
function rounds(): number[] {
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  const seen = bodies.flatMap((body) => /Compaction Round (\d+)/.exec(body)?.[1] ?? []);
  return [...new Set(seen.map(Number))];
}

function expectWithinWindow(): void {
  expect(server.overflows).toBe(0);
  expect(server.requests.every(({ outcome }) => outcome === 'answered')).toBe(true);
  expect(rounds().length).toBeGreaterThan(3);
  for (const { body } of server.requests) expect(userTexts(body?.messages ?? [])[0]).toContain(QUESTION);
}

describe('a loop that reads five windows of files and recalls an early one', () => {
  it('stays within the window with the official OpenAI client', async () => {
    server = await createScriptedModelServer({ script: script(), windowTokens: WINDOW_TOKENS });
    using log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const text = await openAiLoop(server.url, WINDOW_TOKENS);
    expect(text).toBe('It is part2.ts, 47 seconds.');
    expectWithinWindow();
    expect(log.mock.calls.join()).toContain('compacted: ');
  });

  it('stays within the window with the AI SDK and a narrative of the model', async () => {
    server = await createScriptedModelServer({ script: script(), windowTokens: WINDOW_TOKENS });
    const text = await aiSdkLoop(server.url, WINDOW_TOKENS);
    expect(text).toBe('It is part2.ts, 47 seconds.');
    const last = JSON.stringify(server.requests.at(-1)?.body);
    expect(last).toContain('none but the second was of interest');
    expectWithinWindow();
  });

  it.each([
    ['the official Anthropic client', anthropicLoop],
    ["OpenAI's Responses", responsesLoop],
    ['a chat model of LangChain', langChainLoop],
  ])('stays within the window with %s', async (_, loop) => {
    server = await createScriptedModelServer({ script: script(), windowTokens: WINDOW_TOKENS });
    expect(await loop(server.url, WINDOW_TOKENS)).toBe('It is part2.ts, 47 seconds.');
    expectWithinWindow();
  });

  it.each([
    ['the official OpenAI client', openAiLoop],
    ['the AI SDK', aiSdkLoop],
    ['the official Anthropic client', anthropicLoop],
    ['a chat model of LangChain', langChainLoop],
  ])('learns from a refusal that the window is half as large with %s', async (_, loop) => {
    server = await createScriptedModelServer({ script: script(), windowTokens: WINDOW_TOKENS });
    using _log = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await loop(server.url, 2 * WINDOW_TOKENS)).toBe('It is part2.ts, 47 seconds.');
    expect(server.overflows).toBe(1);
    expect(rounds().length).toBeGreaterThan(3);
  });

  it.each([
    ['stays within the window', 1, 0],
    ['learns from a refusal', 2, 1],
  ])('%s with the middleware for the AI SDK', async (_, factor, overflows) => {
    let read = 0;
    const script: Script = () => {
      read += 1;
      if (read > FILES) return 'All files are read.';
      return { toolCalls: [{ name: 'read_file', arguments: { path: pathOf(read) } }] };
    };
    server = await createScriptedModelServer({ script, windowTokens: WINDOW_TOKENS });
    const model = createOpenAICompatible({ name: 'scripted', baseURL: server.url })('scripted');
    const windowTokens = factor * WINDOW_TOKENS;
    expect(await answerWithMiddleware(QUESTION, { model, windowTokens })).toBe('All files are read.');
    expect(server.overflows).toBe(overflows);
    expect(rounds().length).toBeGreaterThan(3);
  });

  it("makes room after each refusal of OpenAI's Responses, which names no sizes", async () => {
    server = await createScriptedModelServer({ script: script(), windowTokens: WINDOW_TOKENS });
    expect(await responsesLoop(server.url, 2 * WINDOW_TOKENS)).toBe('It is part2.ts, 47 seconds.');
    expect(server.overflows).toBeGreaterThan(0);
  });
});

function openAiLoop(baseURL: string, windowTokens: number): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 });
  return answerWithOpenAi(QUESTION, { client, model: 'scripted', windowTokens });
}

function aiSdkLoop(baseURL: string, windowTokens: number): Promise<string> {
  const model = createOpenAICompatible({ name: 'scripted', baseURL })('scripted');
  return answerWithAiSdk(QUESTION, { model, windowTokens });
}

function anthropicLoop(url: string, windowTokens: number): Promise<string> {
  const client = new Anthropic({ baseURL: new URL(url).origin, apiKey: 'any', maxRetries: 0 });
  return answerWithAnthropic(QUESTION, { client, model: 'scripted', windowTokens });
}

function responsesLoop(baseURL: string, windowTokens: number): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 });
  return answerWithResponses(QUESTION, { client, model: 'scripted', windowTokens });
}

function langChainLoop(baseURL: string, windowTokens: number): Promise<string> {
  const model = {
    model: 'scripted',
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL },
  };
  return answerWithLangChain(QUESTION, { model, windowTokens });
}
