import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { generateText, type ModelMessage, streamText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { type ContextMiddlewareOptions, contextMiddleware } from './context-middleware.ts';

const WINDOW = { windowTokens: 8_000, maxOutputTokens: 1_000 };
const USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
};
const STOP = { unified: 'stop' as const, raw: 'stop' };
const LONG = 'long ago '.repeat(1_200);

/** A model that answers with the number of the call. `onCall` may refuse. */
function countingModel(onCall: (options: LanguageModelV4CallOptions) => void = () => {}) {
  let calls = 0;
  const next = (options: LanguageModelV4CallOptions) => {
    onCall(options);
    calls += 1;
    return `answer ${calls}`;
  };
  return new MockLanguageModelV4({
    doGenerate: async (options) => ({
      content: [{ type: 'text', text: next(options) }],
      finishReason: STOP,
      usage: USAGE,
      warnings: [],
    }),
    doStream: async (options) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: next(options) },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: STOP, usage: USAGE },
        ],
      }),
    }),
  });
}

function wrapped(model: MockLanguageModelV4, options: Partial<ContextMiddlewareOptions> = {}) {
  return wrapLanguageModel({ model, middleware: contextMiddleware({ ...WINDOW, ...options }) });
}

/** Sends turns of one conversation, and keeps its whole history. */
async function chat(
  model: ReturnType<typeof wrapped>,
  turns: readonly string[],
  history: ModelMessage[] = [],
) {
  for (const turn of turns) {
    history.push({ role: 'user', content: turn });
    const { text } = await generateText({ model, messages: history });
    history.push({ role: 'assistant', content: text });
  }
  return history;
}

const TURNS = Array.from({ length: 8 }, (_, index) => `turn ${index} ${LONG}`);
const textOf = (prompt: LanguageModelV4Prompt) => JSON.stringify(prompt);

describe('contextMiddleware', () => {
  it('passes a prompt that fits on as it is, with room for the answer', async () => {
    const model = countingModel();
    await chat(wrapped(model), ['Hello.']);
    expect(model.doGenerateCalls[0]).toMatchObject({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }],
      maxOutputTokens: 1_000,
    });
  });

  it('compacts one conversation without touching another that runs beside it', async () => {
    const model = countingModel();
    const rounds: number[] = [];
    const shared = wrapped(model, { onCompacted: ({ round }) => rounds.push(round) });
    const [first] = await Promise.all([chat(shared, TURNS), chat(shared, ['Hi.', 'And?', 'Bye.'])]);
    expect(first).toHaveLength(16);
    expect(Math.max(...rounds)).toBeGreaterThan(1);
    const small = model.doGenerateCalls.filter(({ prompt }) => textOf(prompt).includes('"Hi."'));
    expect(small).toHaveLength(3);
    for (const { prompt } of small) expect(textOf(prompt)).not.toContain('turn 0');
    for (const { prompt } of model.doGenerateCalls) expect(textOf(prompt).length).toBeLessThan(40_000);
  });

  it('keeps the summary of an edited conversation up to the edit', async () => {
    const model = countingModel();
    let compactions = 0;
    const shared = wrapped(model, {
      onCompacted: () => {
        compactions += 1;
      },
    });
    const history = await chat(shared, TURNS);
    const before = compactions;
    await chat(shared, ['Another question.'], history.slice(0, -2));
    expect(compactions).toBe(before);
    const last = textOf(model.doGenerateCalls.at(-1)?.prompt ?? []);
    expect(last).toContain('Another question.');
    expect(last).not.toContain('turn 7');
  });

  it('sends a refused prompt again with less, and throws other errors at once', async () => {
    let refused = 0;
    const model = countingModel(({ prompt }) => {
      if (textOf(prompt).length < 20_000) return;
      refused += 1;
      throw new Error('too long');
    });
    const refusalOf = (error: unknown) =>
      error instanceof Error && error.message === 'too long' ? { windowTokens: 4_000 } : undefined;
    await chat(wrapped(model, { refusalOf }), TURNS);
    expect(refused).toBe(1);
    const broken = countingModel(() => {
      throw new Error('wrong key');
    });
    await expect(chat(wrapped(broken, { refusalOf }), ['Hi.'])).rejects.toThrow('wrong key');
  });

  it('fits streams, and lets the model write the narrative if asked to', async () => {
    const model = countingModel();
    const shared = wrapped(model, { summarise: true });
    const messages: ModelMessage[] = [];
    for (const turn of TURNS) {
      messages.push({ role: 'user', content: turn });
      messages.push({ role: 'assistant', content: await streamText({ model: shared, messages }).text });
    }
    expect(model.doGenerateCalls.length).toBeGreaterThan(0);
    expect(model.doGenerateCalls[0]?.toolChoice).toEqual({ type: 'none' });
    const last = textOf(model.doStreamCalls.at(-1)?.prompt ?? []);
    expect(last).toContain('Compaction Round');
    expect(last.length).toBeLessThan(40_000);
  });
});
