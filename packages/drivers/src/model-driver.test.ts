import { setImmediate } from 'node:timers/promises';
import type { ViewAssistantPart } from '@longhaul/context/engine';
import { stopClock } from '@longhaul/testing/clock';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { chunk, type RawAnswer, startChatServer, startStream } from '../test/chat-server.ts';
import { collect, failureOf, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { tested } from '../test/tested-driver.ts';
import { createModelDriver, type ModelDriverOptions } from './model-driver.ts';

const DONE = 'data: [DONE]\n\n';

async function chat(answer: RawAnswer | string, patch: Partial<ModelDriverOptions> = {}) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answer(typeof answer === 'function' ? answer : stream(answer));
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    info: MODEL_INFO,
    ...tested,
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

/** Calls back whenever bytes of the answer have arrived and the driver has seen them. */
function fetchThatReports(onBytes: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          void setImmediate().then(onBytes);
        },
      }),
    );
    return new Response(body ?? null, response);
  };
}

const call = (index: number, id: string, args: string, name = 'read') =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] });

const FINISH = chunk({}, 'stop') + DONE;

describe('tool calls', () => {
  test('passes on arguments that are not a JSON object as text, and continues the stream', async () => {
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

  test('gives a call without arguments an empty object, because some servers send no text', async () => {
    const { driver } = await chat(call(0, 'a', '') + FINISH);
    expect(await collect(driver)).toContainEqual({ type: 'tool-call', callId: 'a', name: 'read', input: {} });
  });

  test('gives calls with the same id in one answer different ids, in their announcements too', async () => {
    const { driver } = await chat(
      call(0, 'call_0', '{"path":"a"}') + call(1, 'call_0', '{"path":"b"}') + FINISH,
    );
    const events = await collect(driver);
    const called = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
    const announced = events.flatMap((event) => (event.type === 'tool-input-start' ? [event.callId] : []));
    expect(new Set(called).size).toBe(2);
    expect(announced).toEqual(called);
  });

  test('gives a call a new id if the request already has a call with its id', async () => {
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

  test('emits no call of a cut stream, even if its arguments are complete JSON', async () => {
    const { driver } = await chat(call(0, 'a', '{}'));
    const events = await collect(driver);
    expect(events.map((event) => event.type)).not.toContain('tool-call');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider_stream_cut' } });
  });
});

describe('answers', () => {
  test('separates reasoning and text into blocks with unique ids, even if they alternate', async () => {
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

  test('counts cached input once, and reasoning as part of the output', async () => {
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
      rawFinishReason: 'stop',
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

  test('emits no usage if the server sent none', async () => {
    const { driver } = await chat(chunk({ content: 'x' }) + FINISH);
    expect((await collect(driver)).at(-1)).not.toHaveProperty('usage');
  });

  test('does not count comments that keep the connection open as silence', async () => {
    stopClock();
    let left = 12;
    let send = () => {};
    const { driver } = await chat(
      (response) => {
        startStream(response);
        send = () => {
          left -= 1;
          if (left > 0) response.write(': still thinking\n\n');
          else response.end(chunk({ content: 'x' }) + FINISH);
        };
        send();
      },
      {
        stallMs: 300,
        fetch: fetchThatReports(() => {
          if (left === 0) return;
          vi.advanceTimersByTime(200);
          send();
        }),
      },
    );
    expect((await collect(driver)).at(-1)).toMatchObject({ type: 'finish' });
    expect(left).toBe(0);
  });

  test('does not treat a slow consumer as a silent server', async () => {
    stopClock();
    const { driver } = await chat(chunk({ content: 'x' }) + FINISH, { stallMs: 50 });
    const types: string[] = [];
    for await (const event of driver.step(requestOf([userSays('Hi')]))) {
      types.push(event.type);
      vi.advanceTimersByTime(120);
      // The driver checks the silence in an immediate.
      await setImmediate();
    }
    expect(types.at(-1)).toBe('finish');
  });

  test('closes the connection if the consumer stops early', async () => {
    const { driver, server } = await chat((response) => {
      startStream(response);
      response.write(chunk({ content: 'x' }));
    });
    for await (const event of driver.step(requestOf([userSays('Hi')])))
      if (event.type === 'text-delta') break;
    await expect.poll(() => server.abandoned).toBe(1);
  });
});

describe('failures', () => {
  const json = (body: string, status = 200): RawAnswer => {
    return (response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
  };

  test('reads a bare string as an error body', async () => {
    const { driver } = await chat(json('"maximum context length is 4096 tokens"', 400));
    expect((await failureOf(driver)).code).toBe('context_overflow');
  });

  test('reads a bare string as an error inside the stream', async () => {
    const { driver } = await chat('data: {"error":"maximum context length is 4096 tokens"}\n\n');
    expect((await failureOf(driver)).code).toBe('context_overflow');
  });

  test('maps a JSON error with status 200 (LM Studio, wrong path) to provider_bad_request', async () => {
    const { driver } = await chat(
      json('{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'),
    );
    const error = await failureOf(driver);
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('Unexpected endpoint');
  });

  test('advises to check baseUrl if the server answers with a web page', async () => {
    const { driver } = await chat((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<html>Welcome</html>');
    });
    const error = await failureOf(driver);
    expect(error.code).toBe('provider_bad_request');
    expect(error.message).toContain('baseUrl');
  });

  test('ends at once on abort, even if fetch ignores its signal', async () => {
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

  test('does not map an AbortError of another signal to cancelled', async () => {
    const { driver } = await chat('', {
      fetch: () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')),
    });
    expect((await failureOf(driver)).code).not.toBe('cancelled');
  });

  test('refuses a hosted provider without a key, and a compatible one without an address', async () => {
    const base = { provider: 'p', model: 'm', info: MODEL_INFO };
    await expect(createModelDriver({ ...base, kind: 'anthropic' })).rejects.toMatchObject({
      code: 'key_missing',
    });
    await expect(createModelDriver({ ...base, kind: 'openai-compatible' })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});
