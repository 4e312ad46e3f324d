import type { ServerWindow } from '@longhaul/core';
import { createMemoryStore } from '@longhaul/storage/memory';
import { slowClock, stopClock } from '@longhaul/testing/clock';
import { INFO } from '@longhaul/testing/doubles';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { calls, DONE, inTurn, type RawAnswer, refuses, says, sends, usage } from './raw-answers.ts';
import { type StartOptions, startOn } from './run-on-server.ts';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const plays = (...answers: RawAnswer[]) => server.answer(inTurn(answers));
const start = (options?: StartOptions) => startOn(server, options);
const STALL_MS = 500;
const silent: RawAnswer = () => {};
const silentAfterHeaders: RawAnswer = (response) => {
  startStream(response);
  response.flushHeaders();
};
const silentAfter =
  (words: string): RawAnswer =>
  (response) => {
    startStream(response);
    response.write(chunk({ content: words }));
  };

it('repeats a small request with a shorter answer after HTTP 500 "Context size has been exceeded."', async () => {
  server.answer((response) => {
    const { max_tokens: asked } = JSON.parse(server.requests.at(-1) ?? '{}');
    if (asked <= INFO.maxOutputTokens / 4) return says('Done.')(response);
    const error = { code: 500, message: 'Context size has been exceeded.', type: 'server_error' };
    sends([500, { 'content-type': 'application/json' }], JSON.stringify({ error }))(response);
  });
  const { test } = await start();
  expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 0 });
  expect(server.requests).toHaveLength(2);
});

describe('a failing call', () => {
  it('is retried, and the stored event contains the time', async () => {
    plays(refuses(529, 'Overloaded'), refuses(503, 'Overloaded'), says('Done.'));
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    const retries = test.of('llm:retry');
    const failures = test.of('llm:error');
    expect(retries.map(({ attempt, number }) => [attempt, typeof number])).toEqual([
      [1, 'number'],
      [2, 'number'],
    ]);
    for (const [index, { at, delayMs, nextTryAt = 0 }] of retries.entries()) {
      expect(nextTryAt - delayMs).toBeGreaterThanOrEqual(failures[index]?.at ?? at);
      expect(nextTryAt - delayMs).toBeLessThanOrEqual(at);
    }
    expect(test.of('session:status').map(({ status }) => status)).toContain('retrying');
  });

  it.each([
    ['retry-after', '0.2'],
    ['retry-after-ms', '200'],
  ])('waits for the time in %s', async (header, value) => {
    plays(refuses(429, 'slow down', { [header]: value }), says('Done.'));
    const { test } = await start();
    await test.run('go');
    expect(test.of('llm:retry').map(({ delayMs }) => delayMs)).toEqual([200]);
  });

  it('is not retried if the wait exceeds the time limit, and the error says this', async () => {
    plays(refuses(429, 'slow down', { 'retry-after': '3600' }));
    const { test } = await start();
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limit' } });
    expect(result.error?.message).toContain('3600 s, more than retry.totalMs');
    expect(server.requests).toHaveLength(1);
  });

  it('is retried within the time limit only, which includes the calls themselves', async () => {
    slowClock();
    plays((response) => {
      setTimeout(() => refuses(500, 'no')(response), 120);
    });
    const { test } = await start({ runtime: { retry: { attempts: 100, totalMs: 400, firstDelayMs: 1 } } });
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_bad_response' } });
    const { length } = server.requests;
    expect(length).toBeGreaterThan(1);
    expect(length).toBeLessThanOrEqual(4);
    expect(result.error?.message).toContain(`Gave up after ${length} tries`);
  });

  it.each([
    ['before its headers', silent],
    ['between headers and body', silentAfterHeaders],
  ])('retries a server that is silent %s', async (_name, answer) => {
    slowClock();
    plays(answer, says('Done.'));
    const { test } = await start({ stallMs: STALL_MS });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(test.of('llm:error').map(({ error }) => error.code)).toEqual(['provider_timeout']);
    await expect.poll(() => server.abandoned).toBe(1);
  });

  it('does not treat a server as silent if it answered while this process was suspended', async () => {
    stopClock();
    plays((response) => {
      says('Done.')(response);
      // The answer is sent by then. The timer fires before the answer is read.
      setImmediate(() => vi.advanceTimersByTime(2 * STALL_MS));
    });
    const { test } = await start({ stallMs: STALL_MS });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.requests).toHaveLength(1);
  });

  it('keeps the text of a stream that falls silent, and continues it instead of repeating it', async () => {
    slowClock();
    plays(silentAfter('The answer is'), says(' 42.'));
    const { test } = await start({ stallMs: STALL_MS });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: ' 42.' });
    const messages = await test.messages();
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'done'],
      ['assistant', 'failed'],
      ['user', 'done'],
      ['assistant', 'done'],
    ]);
    expect(messages[1]?.parts).toMatchObject([{ type: 'text', text: 'The answer is', state: 'interrupted' }]);
    expect(server.requests[1]).toContain('The answer is');
  });

  it('gives up after four answers that break off, and announces no further attempt', async () => {
    plays((response) => {
      startStream(response);
      response.write(chunk({ content: 'Something said' }), () => response.destroy());
    });
    const { test } = await start();
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_stream_cut' } });
    expect(result.error?.message).toContain('Gave up after 4 interrupted answers in a row.');
    expect(server.requests).toHaveLength(4);
    expect(test.of('llm:retry').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(test.of('llm:error').map(({ recoverable }) => recoverable)).toEqual([true, true, true, false]);
  });

  it('stops waiting for the next attempt at once on cancel', async () => {
    plays(refuses(429, 'slow down', { 'retry-after': '3600' }));
    const { test } = await start({ runtime: { retry: { attempts: 3, totalMs: 7_200_000 } } });
    const controller = new AbortController();
    test.runtime.subscribe((event) => {
      if (event.type === 'session:status' && event.status === 'retrying') controller.abort();
    });
    expect(await test.run('go', { signal: controller.signal })).toMatchObject({ status: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  it('continues without tools if the model has none, and explains what to do', async () => {
    plays(
      refuses(400, 'registry.ollama.ai/library/gemma:2b does not support tools'),
      says('I can only talk.'),
    );
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'I can only talk.' });
    expect(server.requests.map((request) => 'tools' in JSON.parse(request))).toEqual([true, false]);
    const [warning, ...others] = test.of('context:warning');
    expect(warning?.message).toMatch(/cannot call tools.*ollama show.*continues without tools/s);
    expect(others).toEqual([]);
  });
});

const page = 'const value = compute(input, options); // one line of a file\n'.repeat(150);
const reads = (count: number, promptTokens?: number) =>
  Array.from({ length: count }, (_, index) =>
    calls({
      id: `c${index}`,
      arguments: `{"at":"${index}"}`,
      promptTokens,
    }),
  );
const tooLong = (window: number, sent: number) =>
  refuses(
    400,
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${sent} tokens.`,
  );

/** Keeps the window in memory, in place of a store. */
function windowOf(reportedTokens?: number): ServerWindow & { kept: number[] } {
  const kept: number[] = [];
  return {
    kept,
    reported: async () => reportedTokens,
    learned: async (windowTokens) => void kept.push(windowTokens),
  };
}

const BIG = { ...INFO, windowTokens: 65_536, maxOutputTokens: 4_000 };

describe('a window smaller than configured', () => {
  it('is learned from the first refusal and stored, and the run compacts and continues', async () => {
    plays(...reads(4), tooLong(8_192, 12_000), says('Done.'));
    const serverWindow = windowOf();
    const { test, driver } = await start({ info: BIG, serverWindow, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 1 });
    expect(serverWindow.kept).toEqual([8_192]);
    expect(driver.info.windowTokens).toBe(8_192);
    expect(test.of('context:usage').at(-1)).toMatchObject({ windowTokens: 8_192 });
  });

  it('reduces only the output room of a short first request, which has nothing to compact', async () => {
    const asked =
      'you requested 16434 tokens (40 in the messages, 10 in the functions, and 16384 in the completion)';
    plays(
      refuses(400, `This model's maximum context length is 8192 tokens. However, ${asked}.`),
      says('Done.'),
    );
    const serverWindow = windowOf();
    const { test } = await start({
      info: { ...BIG, maxOutputTokens: 16_384 },
      serverWindow,
      saw: () => page,
    });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 0 });
    expect(serverWindow.kept).toEqual([8_192]);
  });

  it('is learned from at most three refusals', async () => {
    plays(...reads(2), refuses(400, 'prompt is too long'));
    const { test } = await start({ info: BIG, saw: () => page });
    const result = await test.run('go');
    expect(result.status).toBe('failed');
    expect(['context_overflow', 'context_exhausted']).toContain(result.error?.code);
    expect(server.requests.length).toBeLessThanOrEqual(2 + 4);
  });

  it('is recognised by an empty answer cut off by its length', async () => {
    const nothing: RawAnswer = (response) => {
      startStream(response);
      response.end(chunk({ content: '' }) + chunk({}, 'length') + usage(12_000, 0) + DONE);
    };
    plays(...reads(4), nothing, says('Done.'));
    const { test } = await start({ info: BIG, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 1 });
    expect(test.of('llm:error').map(({ error }) => error.code)).toEqual(['context_overflow']);
  });

  it('is not assumed if reasoning used up the answer', async () => {
    const thought: RawAnswer = (response) => {
      startStream(response);
      response.end(chunk({ reasoning_content: 'Hmm.' }) + chunk({}, 'length') + usage(300, 4_000) + DONE);
    };
    plays(thought, says('Done.'));
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 0 });
    expect(test.of('llm:error')).toEqual([]);
  });
});

describe('a silently cut prompt', () => {
  it('is noticed: its calls are not run, the window is requested, and the run continues with the whole prompt', async () => {
    plays(
      ...reads(5),
      calls({ id: 'blind', arguments: '{"at":"blind"}', promptTokens: 4_000 }),
      says('Done.', 2_500),
    );
    const serverWindow = windowOf(8_192);
    const { test, look, tools } = await start({ info: BIG, serverWindow, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 1 });
    expect(look.starts).toBe(5);
    expect((await tools()).at(-1)).toMatchObject({
      state: 'error',
      error: expect.stringContaining('dropped the start'),
    });
    expect(test.of('context:warning')[0]?.message).toMatch(
      /read 4000 of about \d+ tokens.*a window of 8192 tokens/,
    );
    expect(
      (await test.messages()).some((message) => message.metadata?.synthetic === 'continue-truncated'),
    ).toBe(true);
    expect(serverWindow.kept).toEqual([8_192]);
  });

  it('is noticed at the first dropped message, if the server cuts gradually', async () => {
    const tokens = [1_500, 4_000, 6_500, 6_450];
    plays(
      ...tokens.map((promptTokens, index) =>
        calls({ id: `c${index}`, arguments: `{"at":"${index}"}`, promptTokens }),
      ),
      says('Done.', 2_500),
    );
    const { test, look } = await start({ info: BIG, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 1 });
    expect(look.starts).toBe(3);
    expect(test.of('context:warning')[0]?.message).toMatch(/read 6450 of about \d+ tokens/);
  });

  it('shows the window that it assumes at once, and gives it to the next run, before anything confirms it', async () => {
    plays(...reads(5), says('What was the task?', 4_000), says('Done.', 2_500));
    const serverWindow = windowOf();
    const { test } = await start({ info: BIG, serverWindow, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    const [warned] = test.events.flatMap(({ type }, index) => (type === 'context:warning' ? [index] : []));
    const assumed = test.events[(warned ?? -1) + 1];
    expect(assumed).toMatchObject({ type: 'context:usage', windowTokens: 4_096 });
    expect(serverWindow.kept).toEqual([]);

    const before = test.of('context:usage').length;
    plays(says('Done.', 2_500));
    await test.run('again');
    expect(test.of('context:usage')[before]).toMatchObject({ windowTokens: 4_096 });
  });

  it('never gives the final answer of a run', async () => {
    plays(...reads(5), says('What was the task?', 4_000), says('Done.', 2_500));
    const { test } = await start({ info: BIG, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(test.of('context:usage').at(-1)?.windowTokens).toBeLessThan(8_193);
  });

  it('ignores implausibly small token counts, with a warning', async () => {
    plays(...reads(5), ...reads(4, 40), says('Done.', 40));
    const serverWindow = windowOf();
    const { test, look } = await start({ info: BIG, serverWindow, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 0 });
    expect(test.of('context:warning').map(({ message }) => message)).toEqual([
      expect.stringContaining('ignored from now on'),
    ]);
    expect(serverWindow.kept).toEqual([]);
    expect(look.starts).toBe(9);
  });

  it('is not assumed for a server that leaves cached tokens out of its counts', async () => {
    let before = '';
    server.answer((response) => {
      const { messages } = JSON.parse(server.requests.at(-1) ?? '{}');
      const prompt = JSON.stringify(messages);
      let shared = 0;
      while (prompt[shared] !== undefined && prompt[shared] === before[shared]) shared += 1;
      before = prompt;
      const promptTokens = Math.ceil((prompt.length - shared) / 4);
      const step = server.requests.length;
      if (step > 16) return says('Done.', promptTokens)(response);
      calls({ id: `c${step}`, arguments: `{"at":"${step}"}`, promptTokens })(response);
    });
    const serverWindow = windowOf();
    const { test, look } = await start({ info: BIG, serverWindow, saw: () => page });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(test.of('context:warning').at(-1)?.message).toContain('ignored from now on');
    expect(test.of('context:usage').at(-1)).toMatchObject({ windowTokens: 65_536 });
    // Conclusions drawn on the way are reverted.
    expect(serverWindow.kept.at(-1) ?? 65_536).toBe(65_536);
    expect(look.starts).toBeGreaterThanOrEqual(14);
  });

  it('is handled at most three times', async () => {
    let read = 6_000;
    plays(...reads(6), (response) => {
      read = Math.floor(read / 3);
      says('What?', read)(response);
    });
    const { test } = await start({ info: BIG, saw: () => page });
    const result = await test.run('go');
    expect(result.status).not.toBe('interrupted');
    expect(server.requests.length).toBeLessThanOrEqual(6 + 5);
  });
});

it('reports an unknown error with the full message of the server', async () => {
  plays(sends([418, { 'content-type': 'application/json' }], '{"error":{"message":"I am a teapot"}}'));
  const store = createMemoryStore();
  const { test } = await start({ runtime: { store } });
  const result = await test.run('go');
  expect(result.error?.message).toContain('I am a teapot');
  expect((await store.getSession(test.sessionId))?.status).toBe('failed');
});
