import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  streamText,
  tool,
} from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createScriptedModelServer,
  type Fault,
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
  toolResults,
} from './index.ts';

let server: ScriptedModelServer;

afterEach(() => server.close());

async function start(options: ScriptedModelServerOptions): Promise<LanguageModel> {
  server = await createScriptedModelServer(options);
  const provider = createOpenAICompatible({ name: 'scripted', baseURL: server.url, includeUsage: true });
  return provider('scripted');
}

const weather = tool({
  description: 'The weather of a city',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => `rain in ${city}`,
});

interface Heard {
  types: string[];
  text: string;
  reasoning: string;
  errors: unknown[];
  finishReason: string;
  usage?: { inputTokens?: number; outputTokens?: number; cachedTokens?: number };
  thrown?: unknown;
}

/** Makes one call and collects the parts of its stream. */
async function listen(model: LanguageModel, prompt = 'Hello'): Promise<Heard> {
  const heard: Heard = { types: [], text: '', reasoning: '', errors: [], finishReason: '' };
  const result = streamText({ model, prompt, maxRetries: 0, tools: { weather }, onError: () => {} });
  try {
    for await (const part of result.stream) {
      heard.types.push(part.type);
      if (part.type === 'text-delta') heard.text += part.text;
      if (part.type === 'reasoning-delta') heard.reasoning += part.text;
      if (part.type === 'error') heard.errors.push(part.error);
      if (part.type === 'finish-step') {
        heard.finishReason = part.finishReason;
        heard.usage = {
          inputTokens: part.usage.inputTokens,
          outputTokens: part.usage.outputTokens,
          cachedTokens: part.usage.inputTokenDetails.cacheReadTokens,
        };
      }
    }
  } catch (error) {
    heard.thrown = error;
  }
  return heard;
}

describe('an answer', () => {
  it('streams reasoning and text, with the exact usage', async () => {
    const model = await start({ script: () => ({ reasoning: 'Hm, a greeting.', text: 'Hello, world' }) });
    const heard = await listen(model);
    expect(heard).toMatchObject({ reasoning: 'Hm, a greeting.', text: 'Hello, world', finishReason: 'stop' });
    expect(heard.usage?.inputTokens).toBe(server.requests[0]?.promptTokens);
    expect(heard.usage?.outputTokens).toBe(server.requests[0]?.completionTokens);
    expect((await listen(model)).usage?.cachedTokens).toBeGreaterThan(20);
  });

  it('is complete without a stream, and is cut at max_tokens', async () => {
    const model = await start({ script: () => 'word '.repeat(100) });
    const result = await generateText({ model, prompt: 'Hello', maxOutputTokens: 10 });
    expect(result.finishReason).toBe('length');
    expect(result.usage.outputTokens).toBe(10);
  });

  it('calls several tools, and continues with their results', async () => {
    const model = await start({
      script: ({ messages }) => {
        const results = toolResults(messages, 'weather').map(({ result }) => result);
        if (results.length > 0) return results.join(' and ');
        return {
          toolCalls: [
            { name: 'weather', arguments: { city: 'Turin with a long name for several pieces' } },
            { name: 'weather', arguments: { city: 'Oslo' } },
          ],
        };
      },
    });
    const options = { model, prompt: 'Hello', tools: { weather }, stopWhen: isStepCount(3) };
    const expected = 'rain in Turin with a long name for several pieces and rain in Oslo';
    expect(await streamText(options).text).toBe(expected);
    expect((await generateText(options)).text).toBe(expected);
    expect(server.requests).toHaveLength(4);
  });
});

it('reports a request over the window as an error part with 400 that is not retried', async () => {
  const model = await start({ script: () => 'ok', windowTokens: 300 });
  const heard = await listen(model, 'word '.repeat(500));
  expect(heard.errors).toHaveLength(1);
  const [error] = heard.errors;
  expect(APICallError.isInstance(error) && error).toMatchObject({
    statusCode: 400,
    isRetryable: false,
    message: expect.stringContaining("This model's maximum context length is 300 tokens."),
    responseBody: expect.stringContaining('context_length_exceeded'),
  });
});

it('reports a wrong key as an error part with 401', async () => {
  const model = await start({ script: () => 'ok', apiKey: 'right' });
  expect((await listen(model)).errors).toEqual([expect.objectContaining({ statusCode: 401 })]);
});

describe('a fault', () => {
  const text = 'one two three four five six seven eight nine ten';
  const withFault = (fault: Fault) =>
    start({ script: ({ number }) => (number === 1 ? { text, fault } : text), chunkChars: 4 });

  it.each([429, 500, 529])('of status %i is a retryable error part', async (status) => {
    const heard = await listen(await withFault({ kind: 'status', status, retryAfterMs: 1500 }));
    expect(heard.errors).toEqual([
      expect.objectContaining({
        statusCode: status,
        isRetryable: true,
        responseHeaders: expect.objectContaining({ 'retry-after': '2', 'retry-after-ms': '1500' }),
      }),
    ]);
  });

  it('of a cut socket throws from the stream', async () => {
    const heard = await listen(await withFault({ kind: 'cut', afterChunks: 3 }));
    expect(heard.text).toBe('one two ');
    expect(heard.thrown).toBeInstanceOf(Error);
  });

  it('of a clean cut is an error part', async () => {
    const heard = await listen(await withFault({ kind: 'clean-cut', afterChunks: 3 }));
    expect(heard.text).toBe('one two ');
    expect(heard.errors).toHaveLength(1);
    expect(heard.finishReason).not.toBe('stop');
  });

  it('of a malformed chunk is an error part, and the stream continues', async () => {
    const heard = await listen(await withFault({ kind: 'malformed-chunk', afterChunks: 3 }));
    expect(heard.text).toBe(text);
    expect(heard.errors).toHaveLength(1);
  });

  it('of an error event is an error part', async () => {
    const heard = await listen(await withFault({ kind: 'error-event', message: 'The GPU is gone' }));
    expect(JSON.stringify(heard.errors)).toContain('The GPU is gone');
  });

  it('of slow chunks changes nothing', async () => {
    expect((await listen(await withFault({ kind: 'slow', delayMs: 2 }))).text).toBe(text);
  });

  it('of silence ends when the caller aborts, and the server notices', async () => {
    const model = await withFault({ kind: 'silence', afterChunks: 3 });
    const controller = new AbortController();
    const result = streamText({ model, prompt: 'Hello', maxRetries: 0, abortSignal: controller.signal });
    let seen = '';
    for await (const part of result.stream) {
      if (part.type === 'text-delta') seen += part.text;
      if (seen !== '') controller.abort();
    }
    expect(text.startsWith(seen)).toBe(true);
    await expect.poll(() => server.requests[0]?.outcome).toBe('fault');
  });
});
