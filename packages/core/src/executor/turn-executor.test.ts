import { ProactiveThresholdStrategy, ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { LonghaulError, type ToolPart } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  failure,
  playedDriver,
  testRun,
  testTool,
  text,
  usageOf,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { StepEvent, StepRequest, Store } from '../ports/index.ts';

const toolParts = (messages: { parts: { type: string }[] }[]) =>
  messages.flatMap((message) => message.parts).filter((part): part is ToolPart => part.type === 'tool');

describe('a run', () => {
  it('ends with the answer, stores it once and emits the events in order', async () => {
    const test = await testRun(playedDriver([answer('Done.', usageOf(100))]));
    const result = await test.run('do it');

    expect(result).toMatchObject({ status: 'completed', stepCount: 1, text: 'Done.', finishReason: 'stop' });
    expect(result.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    const messages = await test.messages();
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'done'],
      ['assistant', 'done'],
    ]);
    expect(test.events.map((event) => event.type)).toEqual([
      'message:queued',
      'run:started',
      'session:status',
      'message:dequeued',
      'context:usage',
      'llm:thinking',
      'llm:chunk',
      'llm:response',
      'run:finished',
      'session:status',
    ]);
    expect(test.closedSandboxes()).toBe(1);
    expect(await test.store.leaseHolder(test.sessionId)).toBeUndefined();
    expect((await test.store.getSession(test.sessionId))?.status).toBe('completed');
  });

  it('continues after tool calls, and sends each result with its call', async () => {
    const driver = playedDriver([calls({ name: 'look', input: { at: 'x' } }), answer('Seen.')]);
    const look = testTool('look', () => text('there it is', { title: 'x' }));
    const test = await testRun(driver, [look]);
    const result = await test.run('look at x');

    expect(result).toMatchObject({ status: 'completed', stepCount: 2, text: 'Seen.' });
    expect(look.starts).toBe(1);
    expect(driver.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [
        {
          type: 'tool',
          name: 'look',
          input: { at: 'x' },
          output: [{ type: 'text', text: 'there it is' }],
          isError: false,
        },
      ],
    });
    expect(driver.requests[0]?.tools.map((tool) => tool.name)).toEqual(['look']);
  });

  it('stores a call before its tool starts, and its result before the next model call', async () => {
    const store = createMemoryStore();
    const seen: unknown[] = [];
    const stateOnDisk = async (sessionId: string) =>
      toolParts((await store.loadLog(sessionId)).messages)[0]?.state;
    const look = testTool('look', async (_input, context) => {
      seen.push(await stateOnDisk(context.sessionId));
      return text('ok');
    });
    let sessionId = '';
    const driver = playedDriver([
      calls({ name: 'look' }),
      async function* (): AsyncGenerator<StepEvent> {
        seen.push(await stateOnDisk(sessionId));
        yield* answer('ok');
      },
    ]);
    const test = await testRun(driver, [look], { store });
    sessionId = test.sessionId;
    await test.run('go');
    expect(seen).toEqual(['running', 'completed']);
  });

  it('runs the calls of a step in parallel, except tools with runsAlone', async () => {
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      return text(name);
    };
    const tools = [
      testTool('a', work('a')),
      testTool('b', work('b')),
      testTool('alone', work('alone'), { runsAlone: true }),
    ];
    const driver = playedDriver([
      calls({ name: 'a' }, { name: 'b' }, { name: 'alone' }, { name: 'a', callId: 'again' }),
      answer('ok'),
    ]);
    const test = await testRun(driver, tools);
    await test.run('go');
    expect(log).toEqual([
      'a starts',
      'b starts',
      'a ends',
      'b ends',
      'alone starts',
      'alone ends',
      'a starts',
      'a ends',
    ]);
  });

  it('returns an error result for an unknown tool, invalid arguments and a throwing tool', async () => {
    const invalid: StepEvent[] = [
      { type: 'tool-call', callId: '1', name: 'nope', input: {} },
      {
        type: 'tool-call-invalid',
        callId: '2',
        name: 'look',
        inputText: '{"a":',
        reason: 'Unexpected end of JSON input',
      },
      { type: 'tool-call', callId: '3', name: 'look', input: [] },
      { type: 'tool-call', callId: '4', name: 'boom', input: {} },
      {
        type: 'tool-call-invalid',
        callId: '5',
        name: 'script',
        inputText: '"print(1)\\nprint(2)"',
        reason: 'Expected a JSON object, got a string.',
      },
      { type: 'finish', finishReason: 'tool-calls' },
    ];
    const boom = testTool('boom', () => {
      throw new LonghaulError('sandbox_failed', 'the container is gone');
    });
    const test = await testRun(playedDriver([invalid, answer('ok')]), [
      testTool('look', () => text('')),
      boom,
    ]);
    const result = await test.run('go');
    expect(result.status).toBe('completed');
    const errors = toolParts(await test.messages()).map((part) => [part.state, part.error]);
    expect(errors).toEqual([
      ['error', 'There is no tool "nope". Available: look, boom.'],
      ['error', expect.stringContaining('not a JSON object: Unexpected end of JSON input')],
      ['error', expect.stringContaining('the arguments must be an object')],
      ['error', 'the container is gone'],
      ['error', 'There is no tool "script". Available: look, boom.\nYou wrote:\nprint(1)\nprint(2)'],
    ]);
  });

  it('delivers a message sent during a step with the next step', async () => {
    const driver = playedDriver([calls({ name: 'look' }), answer('first'), answer('second')]);
    const test = await testRun(driver, [
      testTool('look', async (_input, context) => {
        await test.runtime.send(context.sessionId, [{ type: 'text', text: 'also this' }]);
        await test.runtime.send(context.sessionId, [{ type: 'text', text: 'and that' }]);
        return text('ok');
      }),
    ]);
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'completed', text: 'first', stepCount: 2 });
    expect(driver.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'First: also this\n\nAlso: and that' }],
    });
    expect(test.of('message:dequeued').map(({ count, coalesced }) => [count, coalesced])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('continues with a message that arrives during the final answer', async () => {
    const driver = playedDriver([
      async function* (): AsyncGenerator<StepEvent> {
        await test.runtime.send(test.sessionId, [{ type: 'text', text: 'one more thing' }]);
        yield* answer('first');
      },
      answer('second'),
    ]);
    const test = await testRun(driver);
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'completed', text: 'second', stepCount: 2 });
    expect(test.of('run:finished')).toHaveLength(1);
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(0);
  });

  it('stops at its step limit and names it', async () => {
    const test = await testRun(
      playedDriver([calls({ name: 'look' })]),
      [testTool('look', () => text('ok'))],
      {
        limits: { steps: 3, tokens: null, costUsd: null, minutes: null },
      },
    );
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'limit', stepCount: 3 });
    expect(result.error?.message).toContain('3 steps');
  });
});

describe('a cancel', () => {
  it('keeps the partial text, runs no tool, and ends as cancelled', async () => {
    const controller = new AbortController();
    const look = testTool('look', () => text('ok'));
    const driver = playedDriver([
      async function* (request): AsyncGenerator<StepEvent> {
        yield { type: 'text-start', id: 't' };
        yield { type: 'text-delta', id: 't', text: 'half an ans' };
        yield { type: 'tool-call', callId: '1', name: 'look', input: {} };
        controller.abort();
        expect(request.signal.aborted).toBe(true);
        yield failure('cancelled', 'cancelled');
      },
    ]);
    const test = await testRun(driver, [look]);
    const result = await test.run('go', { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    expect(look.starts).toBe(0);
    const [, assistant] = await test.messages();
    expect(assistant).toMatchObject({
      status: 'interrupted',
      parts: [{ text: 'half an ans', state: 'interrupted' }, { state: 'error' }],
    });
    expect((await test.store.getSession(test.sessionId))?.status).toBe('cancelled');
  });

  it('waits for a running tool to stop and starts no other', async () => {
    const controller = new AbortController();
    let hasStopped = false;
    const slow = testTool(
      'slow',
      async (_input, { signal }) => {
        controller.abort();
        expect(signal.aborted).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
        hasStopped = true;
        return text('stopped', { isError: true });
      },
      { runsAlone: true },
    );
    const driver = playedDriver([calls({ name: 'slow' }, { name: 'slow', callId: 'second' })]);
    const test = await testRun(driver, [slow]);
    const result = await test.run('go', { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    expect(hasStopped).toBe(true);
    expect(slow.starts).toBe(1);
    expect(toolParts(await test.messages()).map((part) => part.state)).toEqual([
      'interrupted',
      'interrupted',
    ]);
    expect(driver.requests).toHaveLength(1);
  });

  it('keeps queued messages for the next run', async () => {
    const controller = new AbortController();
    const driver = playedDriver([
      async function* (): AsyncGenerator<StepEvent> {
        await test.runtime.send(test.sessionId, [{ type: 'text', text: 'later' }]);
        controller.abort();
        yield failure('cancelled', 'cancelled');
      },
      answer('now'),
    ]);
    const test = await testRun(driver);
    await test.run('go', { signal: controller.signal });
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(1);
    expect(await test.run()).toMatchObject({ status: 'completed', text: 'now' });
  });
});

describe('a failing provider', () => {
  const refused = failure('provider_overloaded', 'overloaded', { data: { retryAfterMs: 1 } });

  it('is retried with llm:retry events, and then succeeds', async () => {
    const asked = failure('provider_overloaded', 'overloaded', { data: { retryAfterMs: 50 } });
    const retry = { attempts: 3, totalMs: 60_000, firstDelayMs: 20 };
    const test = await testRun(playedDriver([[asked], [refused], answer('ok')]), [], { retry });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok', stepCount: 1 });
    const [first, second] = test.of('llm:retry');
    expect(first).toMatchObject({ attempt: 1, delayMs: 50 });
    expect(second?.attempt).toBe(2);
    expect(second?.delayMs).toBeGreaterThanOrEqual(60);
    expect(await test.messages()).toHaveLength(2);
  });

  it('fails the run after the last retry', async () => {
    const test = await testRun(playedDriver([[refused]]));
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } });
    expect(test.of('run:finished')).toHaveLength(1);
  });

  it('is not retried after an error that is not retryable', async () => {
    const driver = playedDriver([[failure('provider_auth', 'bad key')]]);
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'failed', error: { code: 'provider_auth' } });
    expect(driver.requests).toHaveLength(1);
  });

  it('keeps and continues an answer that breaks off, and does not run its calls', async () => {
    const look = testTool('look', () => text('ok'));
    const broken: StepEvent[] = [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', text: 'The first half' },
      { type: 'tool-call', callId: '1', name: 'look', input: {} },
      failure('provider_stream_cut', 'socket closed', { data: { retryAfterMs: 1 } }),
    ];
    const driver = playedDriver([broken, answer(' and the second.')]);
    const test = await testRun(driver, [look]);
    expect(await test.run('go')).toMatchObject({ status: 'completed' });
    expect(look.starts).toBe(0);
    const sent = driver.requests[1]?.messages;
    expect(sent?.[1]).toMatchObject({
      role: 'assistant',
      content: [{ text: 'The first half' }, { type: 'tool', isError: true }],
    });
    expect(sent?.[2]).toMatchObject({ role: 'user' });
  });

  it('fails the run after an error event, even if the stream finishes with "stop"', async () => {
    const faulty: StepEvent[] = [
      ...answer('ok').slice(0, 3),
      failure('provider_bad_response', 'malformed chunk'),
      { type: 'finish', finishReason: 'stop' },
    ];
    const test = await testRun(playedDriver([faulty]));
    expect((await test.run('go')).status).toBe('failed');
  });
});

describe('an empty or cut answer', () => {
  it('is requested again once if empty, then fails the run', async () => {
    const driver = playedDriver([answer('')]);
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'failed', error: { code: 'empty_answer' } });
    expect(driver.requests).toHaveLength(2);
  });

  it('is continued after its length limit', async () => {
    const cut: StepEvent[] = [...answer('one, two').slice(0, 3), { type: 'finish', finishReason: 'length' }];
    const driver = playedDriver([cut, answer(', three')]);
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: ', three' });
    expect((await test.messages())[2]?.metadata).toEqual({ synthetic: 'continue-length' });
  });

  it('ends the run when every answer is cut off', async () => {
    const cut: StepEvent[] = [...answer('…').slice(0, 3), { type: 'finish', finishReason: 'length' }];
    const driver = playedDriver([cut]);
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'limit' });
    expect(driver.requests).toHaveLength(5);
  });
});

describe('the window', () => {
  const page = 'const value = compute(input, options); // line of a file\n'.repeat(120);

  it('is never exceeded: the run compacts first, keeps the task, and continues', async () => {
    const steps = Array.from({ length: 12 }, (_, index) =>
      calls({ name: 'read', input: { path: `src/file${index}.ts` }, callId: `c${index}` }),
    );
    const driver = playedDriver([...steps, answer('All read.')]);
    const test = await testRun(driver, [testTool('read', () => text(page), { isProtected: true })]);
    const result = await test.run('Read all files. Never delete anything.');
    expect(result).toMatchObject({ status: 'completed', text: 'All read.', stepCount: 13 });
    expect(result.compactions).toBeGreaterThanOrEqual(1);
    for (const event of test.of('context:usage')) expect(event.tokens).toBeLessThan(event.usableTokens);
    for (const { originalTokens, compressedTokens } of test.of('context:compressed')) {
      expect(compressedTokens).toBeLessThan(originalTokens * 0.95);
    }
    const last = driver.requests.at(-1)?.messages ?? [];
    expect(last[0]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Read all files. Never delete anything.' }],
    });
    expect(last[2]?.role).toBe('user');
    expect(JSON.stringify(last[2])).toContain('file0.ts');
  });

  it('is set to the size that a refusal names', async () => {
    const refusal = failure('context_overflow', 'maximum context length is 4096 tokens', {
      data: { windowTokens: 4_096, requestTokens: 4_500 },
    });
    const reads = [1, 2, 3].map((index) => calls({ name: 'read', callId: `c${index}` }));
    const driver = playedDriver([...reads, [refusal], answer('ok')]);
    const test = await testRun(driver, [testTool('read', () => text(page.slice(0, 4_000)))]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok' });
    expect(test.of('context:usage').at(-1)).toMatchObject({ windowTokens: 4_096 });
    expect(test.of('context:compressed').at(-1)?.reason).toBe('overflow');
  });

  it.each([
    ['is not learned from a refusal without sizes that the reported window has room for', 16_000, 1],
    ['is assumed smaller after a refusal without sizes if the server reports none', undefined, 1.15],
  ])('%s', async (_name, reported, ratio) => {
    const refusal = failure('context_overflow', 'Context size has been exceeded.');
    const reads = [1, 2, 3].map((index) => calls({ name: 'read', callId: `c${index}` }));
    const driver = {
      ...playedDriver([...reads, [refusal], [refusal], answer('ok')]),
      serverWindow: { reported: async () => reported, learned: async () => {} },
    };
    const test = await testRun(driver, [testTool('read', () => text(page.slice(0, 4_000)))]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok' });
    const last = test.of('context:usage').at(-1);
    expect(last?.windowTokens).toBe(16_000);
    expect(last?.ratio).toBeCloseTo(ratio, 2);
  });

  it('is found from three refusals without sizes, if a guess was far too large', async () => {
    const served = 8_000;
    const reads = Array.from({ length: 16 }, (_, index) => calls({ name: 'read', callId: `c${index}` }));
    const serve = (request: StepRequest) =>
      JSON.stringify(request.messages).length / 3 > served - 1_000
        ? [failure('context_overflow', 'Context size has been exceeded.')]
        : answer('ok');
    const learned: number[] = [];
    const driver = {
      ...playedDriver([...reads, serve], { windowTokens: 128_000 }),
      serverWindow: {
        reported: async () => undefined,
        learned: async (tokens: number) => void learned.push(tokens),
      },
    };
    const test = await testRun(driver, [testTool('read', () => text(page))]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok' });
    expect(driver.requests).toHaveLength(reads.length + 4);
    expect(test.of('context:usage').at(-1)?.windowTokens).toBeLessThan(2 * served);
    expect(learned).toEqual([]);
  });

  it('is not compacted when a small request is refused without sizes: a shorter answer is requested once, until the next step', async () => {
    const refusal = failure('context_overflow', 'Context size has been exceeded.');
    const driver = playedDriver([[refusal], calls({ name: 'read' }), [refusal], answer('ok')], {
      maxOutputTokens: 4_000,
    });
    const test = await testRun(driver, [testTool('read', () => text(page.slice(0, 400)))]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok', compactions: 0 });
    expect(driver.requests.map((request) => request.maxOutputTokens)).toEqual([4_000, 1_000, 4_000, 1_000]);
    expect(driver.requests[1]?.messages).toEqual(driver.requests[0]?.messages);
    expect(test.of('context:usage').at(-1)?.ratio).toBe(1);
    expect(test.of('llm:error').map((event) => event.recoverable)).toEqual([true, true]);
  });

  it('is compacted when a small request is refused with the shorter answer too, and the run fails if that is impossible', async () => {
    const refusal = failure('context_overflow', 'Context size has been exceeded.');
    const driver = playedDriver([[refusal], [refusal], answer('never')], { maxOutputTokens: 4_000 });
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'failed', error: { code: 'context_exhausted' } });
    expect(driver.requests).toHaveLength(2);
  });

  it('reduces maxOutputTokens instead of compacting when a refused prompt fits with less room for the answer', async () => {
    const refusal = failure('context_overflow', 'maximum context length is 16000 tokens', {
      data: { windowTokens: 16_000, requestTokens: 6_000 },
    });
    const driver = playedDriver([calls({ name: 'read' }), [refusal], answer('ok')], {
      maxOutputTokens: 16_000,
    });
    const test = await testRun(driver, [testTool('read', () => text(page))]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok', compactions: 0 });
    const [, refused, sent] = driver.requests;
    expect(sent?.messages).toEqual(refused?.messages);
    expect(sent?.maxOutputTokens).toBe(16_000 - 6_000 - 320);
  });

  it('keeps room for an estimate that is too low: a margin of 2 % was smaller than the error after a compaction', async () => {
    const driver = playedDriver([calls({ name: 'read' }), answer('ok')], { maxOutputTokens: 16_000 });
    const test = await testRun(driver, [testTool('read', () => text(page))]);
    await test.run('go');
    const predicted = test.of('context:usage').at(-1)?.tokens ?? 0;
    const asked = driver.requests.at(-1)?.maxOutputTokens ?? 0;
    expect(predicted).toBeGreaterThan(1_000);
    expect(predicted * 1.14 + asked).toBeLessThanOrEqual(16_000);
  });

  it('that cuts an answer inside a call is compacted before the call is repeated, and the result gives the reason', async () => {
    const cut: StepEvent[] = [
      { type: 'tool-call-invalid', callId: 'w', name: 'read', inputText: '{"path":"a', reason: 'cut' },
      { type: 'finish', finishReason: 'length', usage: usageOf(9_000, 4_000) },
    ];
    const reads = [1, 2, 3, 4, 5].map((index) => calls({ name: 'read', callId: `c${index}` }));
    const whole = calls({ name: 'read', input: { path: 'all' }, callId: 'again' });
    const driver = playedDriver([...reads, cut, whole, answer('ok')], { maxOutputTokens: 16_000 });
    const test = await testRun(driver, [testTool('read', () => text(page), { isProtected: true })]);
    const before = 6;
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'ok' });
    const [cutRequest, nextRequest] = driver.requests.slice(before - 1, before + 1);
    expect(nextRequest?.maxOutputTokens ?? 0).toBeGreaterThan(cutRequest?.maxOutputTokens ?? 0);
    expect(test.of('context:compressed')).toHaveLength(1);
    const tools = toolParts(await test.messages());
    expect(tools.find((part) => part.callId === 'w')?.error).toContain('cut off at its length limit');
    expect(tools.find((part) => part.callId === 'again')?.state).toBe('completed');
  });

  it('that cuts inside a call repeatedly ends the run', async () => {
    const cut: StepEvent[] = [
      { type: 'tool-call-invalid', callId: 'w', name: 'read', inputText: '{"path":"a', reason: 'cut' },
      { type: 'finish', finishReason: 'length' },
    ];
    const driver = playedDriver([cut]);
    const test = await testRun(driver, [testTool('read', () => text(page))]);
    expect(await test.run('go')).toMatchObject({ status: 'limit', stepCount: 4 });
  });

  it('fails the run when every request is refused', async () => {
    const driver = playedDriver([calls({ name: 'read' }), [failure('context_overflow', 'too long')]]);
    const test = await testRun(driver, [testTool('read', () => text(page))]);
    const result = await test.run('go');
    expect(result.status).toBe('failed');
    expect(['context_overflow', 'context_exhausted']).toContain(result.error?.code);
    expect(driver.requests.length).toBeLessThanOrEqual(6);
  });

  it('too small for the first message shows its start and its end', async () => {
    const driver = playedDriver([answer('ok')]);
    const test = await testRun(driver);
    const result = await test.run(`The task begins. ${page.repeat(12)} The task ends.`);
    expect(result.status).toBe('completed');
    const first = JSON.stringify(driver.requests[0]?.messages[0]);
    expect(first).toContain('The task begins.');
    expect(first).toContain('The task ends.');
    expect(first).toContain('m1.0');
  });

  it('limits the results of a step to the room that a compaction can free, and stores their full text under a handle', async () => {
    const driver = playedDriver([calls({ name: 'read' }, { name: 'read', callId: 'two' }), answer('ok')]);
    const test = await testRun(driver, [testTool('read', () => text(page.repeat(10)))]);
    expect((await test.run('go')).status).toBe('completed');
    const [one, two] = toolParts(await test.messages());
    expect([one?.truncated, two?.truncated]).toEqual([true, true]);
    expect([one?.handle, two?.handle]).toEqual(['m2.0', 'm2.1']);
    expect(one?.fullOutput).toMatch(/^@blob:[0-9a-f]{64}$/);
  });
});

describe('a trigger that compaction cannot reach', () => {
  it('does not end a session whose requests fit: the system text alone took half the window', async () => {
    const reads = Array.from({ length: 8 }, (_, index) => calls({ name: 'read', callId: `c${index}` }));
    const driver = playedDriver([...reads, answer('Done.')], { maxOutputTokens: 2_000 });
    const page = 'const value = compute(input, options); // line of a file\n'.repeat(60);
    for (const lines of [500, 620]) {
      const test = await testRun(driver, [testTool('read', () => text(page))], {
        prompt: 'Mind the rules of this house. '.repeat(lines * 2),
        compression: { strategy: new ProactiveThresholdStrategy(), auto: true, ledgerShare: 0.2 },
      });
      const result = await test.run('Read.');
      expect(result.status).toBe('completed');
      const sizes = test.of('context:usage').map((event) => event.tokens);
      if (lines === 620) expect(Math.min(...sizes)).toBeGreaterThan(8_000);
      expect(test.of('context:compressed').length).toBeLessThanOrEqual(lines === 620 ? 4 : 8);
    }
  });
});

describe('an answer that does not end', () => {
  it('is stopped at nine tenths of the window, kept, and continued after a compaction', async () => {
    let deltas = 0;
    let wasAborted = false;
    const driver = playedDriver([
      async function* (request): AsyncGenerator<StepEvent> {
        yield { type: 'text-start', id: 't' };
        try {
          for (;;) {
            deltas += 1;
            if (deltas > 10_000) throw new Error('the stream was not stopped');
            yield { type: 'text-delta', id: 't', text: 'and on and on it goes, word after word after word ' };
          }
        } finally {
          wasAborted = request.signal.aborted;
        }
      },
      answer('The end.'),
    ]);
    const test = await testRun(driver);
    expect(await test.run('Tell me.')).toMatchObject({
      status: 'completed',
      text: 'The end.',
      compactions: 1,
    });
    expect(wasAborted).toBe(true);
    const [, cut, request] = await test.messages();
    expect(cut).toMatchObject({
      status: 'done',
      finishReason: 'length',
      parts: [{ type: 'text', state: 'done' }],
    });
    expect(request?.metadata).toEqual({ synthetic: 'continue-length' });
    for (const event of test.of('context:usage')) expect(event.tokens).toBeLessThan(event.usableTokens);
  });
});

describe('pruning', () => {
  const page = 'const value = compute(input, options); // line of a file\n'.repeat(120);

  const reads = Array.from({ length: 20 }, (_, index) => calls({ name: 'read', callId: `c${index}` }));
  const policy = { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 };

  it('replaces old outputs with a placeholder and a handle when that saves much more than reading them again costs', async () => {
    const driver = playedDriver([...reads, answer('ok')], { windowTokens: 64_000 });
    const compression = { ...policy, pruneProtectTokens: 4_000 };
    const test = await testRun(driver, [testTool('read', () => text(page))], { compression });
    expect((await test.run('go')).status).toBe('completed');
    expect(test.of('context:pruned').length).toBeGreaterThanOrEqual(1);
    const sent = JSON.stringify(driver.requests.at(-1)?.messages);
    expect(sent).toContain('[Old tool result content cleared; recall handle m2.0');
    expect(toolParts(await test.messages())[0]?.output).toEqual([{ type: 'text', text: page }]);
  });

  it('does not change the cached prefix when that saves little', async () => {
    const driver = playedDriver([...reads, answer('ok')], { windowTokens: 64_000 });
    const test = await testRun(driver, [testTool('read', () => text(page))], { compression: policy });
    expect((await test.run('go')).status).toBe('completed');
    expect(test.of('context:pruned')).toEqual([]);
  });
});

describe('exactly one terminal event', () => {
  it('is emitted when a listener throws', async () => {
    const test = await testRun(playedDriver([answer('ok')]));
    test.runtime.subscribe(() => {
      throw new Error('a listener of the caller');
    });
    expect((await test.run('go')).status).toBe('completed');
    expect(test.of('run:finished')).toHaveLength(1);
  });

  it('is emitted when a driver throws during a stream', async () => {
    const driver = playedDriver([
      async function* (): AsyncGenerator<StepEvent> {
        yield { type: 'text-start', id: 't' };
        throw new TypeError('a defect of the driver');
      },
    ]);
    const test = await testRun(driver);
    expect(await test.run('go')).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(test.of('run:finished')).toHaveLength(1);
    expect(test.closedSandboxes()).toBe(1);
  });

  it('is emitted when the store fails during the run and at its end', async () => {
    const memory = createMemoryStore();
    const full = new LonghaulError('store_full', 'The disk is full.');
    const store: Store = new Proxy(memory, {
      get(target, name) {
        if (name === 'putPart' || name === 'finishRun') return () => Promise.reject(full);
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const test = await testRun(playedDriver([answer('ok')]), [], { store });
    expect(await test.run('go')).toMatchObject({ status: 'failed', error: { code: 'store_full' } });
    expect(test.of('run:finished')).toHaveLength(1);
  });

  it('is emitted when the sandbox cannot be opened', async () => {
    const test = await testRun(playedDriver([answer('ok')]), [], {
      openSandbox: () => Promise.reject(new LonghaulError('sandbox_unavailable', 'Docker does not answer.')),
    });
    await expect(test.run('go')).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    expect(test.of('run:finished')).toHaveLength(1);
    expect(await test.store.leaseHolder(test.sessionId)).toBeUndefined();
  });
});

describe('an open call of a dead run', () => {
  it('is closed as interrupted and not started again', async () => {
    const store = createMemoryStore();
    const look = testTool('look', () => text('ok'));
    const driver = playedDriver([answer('ok')]);
    const test = await testRun(driver, [look], { store });
    const dead = {
      host: (await import('node:os')).hostname(),
      bootId: 'another boot',
      pid: 1,
      processStartedAt: '0',
    };
    const { lease } = await store.acquireLease(test.sessionId, {
      runId: 'dead',
      owner: dead,
      ttlMs: 60_000,
      isAlive: () => false,
    });
    const { message } = await store.appendMessage(lease, {
      id: 'm',
      role: 'assistant',
      parts: [],
      status: 'running',
      createdAt: Date.now(),
      tokenCount: 0,
    });
    const call = { type: 'tool', callId: '1', name: 'look', input: {} } as const;
    await store.putPart(lease, { messageId: message.id, index: 0 }, { ...call, state: 'running' });
    await store.putPart(
      lease,
      { messageId: message.id, index: 1 },
      { ...call, callId: '2', state: 'pending' },
    );

    expect((await test.run('go on')).status).toBe('completed');
    expect(look.starts).toBe(0);
    const [, user, answered] = [undefined, ...(await test.messages()).slice(1)];
    expect([user?.role, answered?.role]).toEqual(['user', 'assistant']);
    const sent = JSON.stringify(driver.requests[0]?.messages);
    expect(sent).toContain('outcome of this call is unknown');
    expect(sent).toContain('Not run');
  });
});
