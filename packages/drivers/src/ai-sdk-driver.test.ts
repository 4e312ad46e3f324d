import type { ViewAssistantPart } from '@longhaul/context';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chunk, type RawAnswer, startChatServer, startStream } from '../test/chat-server.ts';
import { collect, failureOf, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { type AiSdkDriverOptions, createAiSdkDriver } from './ai-sdk-driver.ts';

const DONE = 'data: [DONE]\n\n';

async function chat(answer: RawAnswer | string, patch: Partial<AiSdkDriverOptions> = {}) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answer(typeof answer === 'function' ? answer : stream(answer));
  const driver = await createAiSdkDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    info: MODEL_INFO,
    ...patch,
  });
  return { server, driver };
}

function stream(text: string): RawAnswer {
  return (response) => {
    startStream(response);
    response.end(text);
  };
}

const call = (index: number, id: string, args: string, name = 'read') =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] });

const FINISH = chunk({}, 'stop') + DONE;

describe('tool calls', () => {
  test('arguments that are not a JSON object are handed on as they came, and the stream goes on', async () => {
    const { driver } = await chat(
      call(0, 'a', '{"path": "x') + call(1, 'b', '[1]') + call(2, 'c', '{"path":"y"}') + FINISH,
    );
    const events = await collect(driver);
    expect(events.filter((event) => event.type.startsWith('tool-call'))).toMatchObject([
      { type: 'tool-call-invalid', callId: 'a', name: 'read', inputText: '{"path": "x' },
      {
        type: 'tool-call-invalid',
        callId: 'b',
        inputText: '[1]',
        reason: 'Expected a JSON object, got an array.',
      },
      { type: 'tool-call', callId: 'c', input: { path: 'y' } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
  });

  test('a call without arguments has an empty object, because some servers send no text for it', async () => {
    const { driver } = await chat(call(0, 'a', '') + FINISH);
    expect(await collect(driver)).toContainEqual({ type: 'tool-call', callId: 'a', name: 'read', input: {} });
  });

  test('calls with the same id in one answer get different ids, each the same in its announcement', async () => {
    const { driver } = await chat(
      call(0, 'call_0', '{"path":"a"}') + call(1, 'call_0', '{"path":"b"}') + FINISH,
    );
    const events = await collect(driver);
    const called = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
    const announced = events.flatMap((event) => (event.type === 'tool-input-start' ? [event.callId] : []));
    expect(new Set(called).size).toBe(2);
    expect(announced).toEqual(called);
  });

  test('a server that counts its calls from call_0 in every answer does not repeat an id of the session', async () => {
    const { driver } = await chat(call(0, 'call_0', '{}') + FINISH);
    const past: ViewAssistantPart = {
      type: 'tool',
      callId: 'call_0',
      name: 'read',
      input: {},
      output: [],
      isError: false,
    };
    const events = await collect(
      driver,
      requestOf([userSays('Hi'), { role: 'assistant', content: [past] }, userSays('Again')]),
    );
    expect(events).toContainEqual({ type: 'tool-call', callId: 'call_0-2', name: 'read', input: {} });
  });

  test('a call whose stream was cut is not handed on, even when its arguments happen to be whole JSON', async () => {
    const { driver } = await chat(call(0, 'a', '{}'));
    const events = await collect(driver);
    expect(events.map((event) => event.type)).not.toContain('tool-call');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider_stream_cut' } });
  });
});

describe('answers', () => {
  test('reasoning and text are separate blocks with ids of their own, also when they alternate', async () => {
    const { driver } = await chat(
      chunk({ reasoning_content: 'a' }) +
        chunk({ content: 'b' }) +
        chunk({ reasoning_content: 'c' }) +
        chunk({ content: 'd' }) +
        FINISH,
    );
    const events = await collect(driver);
    const starts = events.flatMap((event) =>
      event.type.endsWith('-start') && 'id' in event ? [event.id] : [],
    );
    expect(starts).toEqual(['reasoning-1', 'text-2', 'reasoning-3', 'text-4']);
    expect(events.filter((event) => event.type.endsWith('-end'))).toHaveLength(4);
  });

  test('usage counts cached input once and reasoning within the output', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    const { driver } = await chat(
      chunk({ content: 'x' }) + chunk({}, 'stop') + chunk({}, null, usage) + DONE,
    );
    expect((await collect(driver)).at(-1)).toEqual({
      type: 'finish',
      finishReason: 'stop',
      model: 'served-model',
      usage: {
        inputTokens: 100,
        outputTokens: 40,
        reasoningTokens: 30,
        cacheReadTokens: 60,
        cacheWriteTokens: 0,
        totalTokens: 140,
      },
    });
  });

  test('no usage is invented when the server sent none', async () => {
    const { driver } = await chat(chunk({ content: 'x' }) + FINISH);
    expect((await collect(driver)).at(-1)).not.toHaveProperty('usage');
  });

  test('comments that keep the connection open are no silence', async () => {
    const { driver } = await chat(
      (response) => {
        startStream(response);
        let left = 12;
        const timer = setInterval(() => {
          left -= 1;
          if (left > 0) response.write(': still thinking\n\n');
          else response.end(chunk({ content: 'x' }) + FINISH);
          if (left === 0) clearInterval(timer);
        }, 50);
      },
      { stallMs: 300 },
    );
    expect((await collect(driver)).at(-1)).toMatchObject({ type: 'finish' });
  });

  test('a consumer that takes its time is not taken for a silent server', async () => {
    const { driver } = await chat(chunk({ content: 'x' }) + FINISH, { stallMs: 50 });
    const types: string[] = [];
    for await (const event of driver.step(requestOf([userSays('Hi')]))) {
      types.push(event.type);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    expect(types.at(-1)).toBe('finish');
  });

  test('a consumer that stops early closes the connection', async () => {
    const { driver, server } = await chat((response) => {
      startStream(response);
      response.write(chunk({ content: 'x' }));
    });
    for await (const event of driver.step(requestOf([userSays('Hi')])))
      if (event.type === 'text-delta') break;
    while (server.abandoned === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server.abandoned).toBe(1);
  });
});

describe('failures', () => {
  const json = (body: string, status = 200): RawAnswer => {
    return (response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
  };

  test('a bare string as error body stands only in the response, and is read there', async () => {
    const { driver } = await chat(json('"maximum context length is 4096 tokens"', 400));
    expect((await failureOf(driver)).code).toBe('context_overflow');
  });

  test('a bare string as error inside the stream is read too', async () => {
    const { driver } = await chat('data: {"error":"maximum context length is 4096 tokens"}\n\n');
    expect((await failureOf(driver)).code).toBe('context_overflow');
  });

  test('a JSON error with status 200, as LM Studio sends for a wrong path, is not a cut stream', async () => {
    const { driver } = await chat(
      json('{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'),
    );
    const error = await failureOf(driver);
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('Unexpected endpoint');
  });

  test('a web page in place of a stream names the base URL as what to check', async () => {
    const { driver } = await chat((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<html>Welcome</html>');
    });
    const error = await failureOf(driver);
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('baseUrl');
  });

  test('an abort is prompt although fetch ignores its signal', async () => {
    const controller = new AbortController();
    const { driver } = await chat('', {
      fetch: () => {
        setTimeout(() => controller.abort());
        return new Promise(() => {});
      },
    });
    const error = await failureOf(driver, requestOf([userSays('Hi')], { signal: controller.signal }));
    expect(error.code).toBe('cancelled');
  });

  test("an AbortError that is not of our signal is the server's failure, not a cancel", async () => {
    const { driver } = await chat('', {
      fetch: () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')),
    });
    expect((await failureOf(driver)).code).not.toBe('cancelled');
  });

  test('a hosted provider without a key, and a compatible one without an address, say what to set', async () => {
    const base = { provider: 'p', model: 'm', info: MODEL_INFO };
    await expect(createAiSdkDriver({ ...base, kind: 'anthropic' })).rejects.toMatchObject({
      code: 'model_not_configured',
    });
    await expect(createAiSdkDriver({ ...base, kind: 'openai-compatible' })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});
