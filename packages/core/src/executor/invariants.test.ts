/** The engine's invariants, one test each. */
import {
  countByClasses,
  ReactiveOverflowStrategy,
  SUMMARY_INSTRUCTION,
  type ViewMessage,
  viewMessageTokens,
} from '@longhaul/context/engine';
import type { ToolPart } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  failure,
  INFO,
  type PlayedStep,
  playedDriver,
  testRun,
  testTool,
  text,
  usageOf,
} from '@longhaul/testing/doubles';
import { storeWithFaultPoints } from '@longhaul/testing/fault-points';
import { createRecallTool, createTodoTool, createTools } from '@longhaul/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepEvent, StepRequest, Store } from '../ports/index.ts';

const page = (index: number, lines: number) =>
  `export const value${index} = compute(${index}); // a line of a file\n`.repeat(lines);
const reader = () =>
  testTool('read', (input) => text(page(Number(input['index'] ?? 0), Number(input['lines'] ?? 100))));
const read = (index: number, lines = 100) =>
  calls({ name: 'read', input: { index: String(index), lines: String(lines) }, callId: `call${index}` });
const isSummaryCall = (request: StepRequest) => textOf(request.messages.at(-1)).includes(SUMMARY_INSTRUCTION);
const textOf = (message: ViewMessage | undefined) => JSON.stringify(message?.content ?? '');

function requestTokens(request: StepRequest): number {
  const messages = request.messages.reduce(
    (sum, message) => sum + viewMessageTokens(message, countByClasses),
    0,
  );
  return messages + countByClasses(request.system) + countByClasses(JSON.stringify(request.tools));
}

/** Answers summary calls with `summary`, and plays `steps` for the others. */
function withSummaries(
  steps: readonly PlayedStep[],
  summary: (request: StepRequest) => readonly StepEvent[],
) {
  let next = 0;
  const play = (request: StepRequest): ReturnType<Extract<PlayedStep, (...args: never[]) => unknown>> => {
    if (isSummaryCall(request)) return summary(request);
    const step = steps[Math.min(next, steps.length - 1)] ?? [];
    next += 1;
    return typeof step === 'function' ? step(request) : step;
  };
  return playedDriver([play]);
}

describe('the invariants', () => {
  it('1: sends no request larger than the window, and never fails because of a full context, for any tool output', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 4, maxLength: 14 }),
        async (sizes) => {
          // The model could write more than there is room for, so only the window limits maxOutputTokens.
          const steps = [...sizes.map((lines, index) => read(index, lines)), answer('Done.')];
          const driver = playedDriver(steps, { maxOutputTokens: 12_000 });
          const test = await testRun(driver, [reader()]);
          expect((await test.run('Read them all.')).status).toBe('completed');
          for (const request of driver.requests) {
            const room = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
            expect(requestTokens(request)).toBeLessThanOrEqual(12_000);
            expect(requestTokens(request) + room).toBeLessThanOrEqual(INFO.windowTokens);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('2: ends the run with the sizes when a compaction makes no progress', async () => {
    const driver = playedDriver([answer('never')]);
    const test = await testRun(driver, [], { prompt: page(1, 1_200) });
    const result = await test.run('Hello.');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_exhausted' } });
    expect(result.error?.data).toMatchObject({ windowTokens: INFO.windowTokens });
    expect(driver.requests).toHaveLength(0);
  });

  it('3: continues after a compaction, with the task, the instructions and the todo list unchanged', async () => {
    const plan = {
      items: [
        { text: 'Read every file', status: 'in_progress' },
        { text: 'Write the report', status: 'pending' },
      ],
    };
    const todo: StepEvent[] = [
      { type: 'tool-call', callId: 'plan', name: 'todo', input: plan },
      { type: 'finish', finishReason: 'tool-calls' },
    ];
    const driver = playedDriver([
      todo,
      ...Array.from({ length: 12 }, (_, index) => read(index)),
      answer('Done.'),
    ]);
    const later = ['Rule two: all dates in UTC.', 'And hurry.'];
    const talkative = testTool('read', async (input, context) => {
      const more = later.shift();
      if (more !== undefined) await test.runtime.send(context.sessionId, [{ type: 'text', text: more }]);
      return text(page(Number(input['index']), 100));
    });
    const test = await testRun(driver, [talkative, createTodoTool()]);
    expect(await test.run('Read all files. Never write to main.')).toMatchObject({
      status: 'completed',
      text: 'Done.',
    });
    expect(test.of('context:compressed').length).toBeGreaterThan(0);
    const sent = driver.requests.at(-1)?.messages ?? [];
    expect(textOf(sent[0])).toContain('Read all files. Never write to main.');
    // The newest user message stays. The one before it is hidden and quoted in the ledger.
    expect(textOf(sent[2])).toContain('Rule two: all dates in UTC.');
    expect(textOf(sent[2])).toContain('[>] Read every file');
    expect(textOf(sent[2])).toContain('[ ] Write the report');
  });

  it('4: sends summary requests that fit the window, including images', async () => {
    const image = testTool('look', () => ({
      content: [
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'text', text: page(1, 60) },
      ],
    }));
    const looks = Array.from({ length: 12 }, (_, index) => calls({ name: 'look', callId: `look${index}` }));
    const driver = withSummaries([...looks, answer('Done.')], () => answer('I looked at pictures.'));
    const test = await testRun(driver, [image], { summariserFor: async () => driver });
    expect((await test.run('Look.')).status).toBe('completed');
    const summaries = driver.requests.filter(isSummaryCall);
    expect(summaries.length).toBeGreaterThan(0);
    for (const request of summaries) {
      expect(requestTokens(request) + (request.maxOutputTokens ?? 0)).toBeLessThanOrEqual(INFO.windowTokens);
    }
  });

  it('5: never compacts because of usage from before a compaction', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => [
      ...read(index).slice(0, 1),
      { type: 'finish', finishReason: 'tool-calls', usage: usageOf(3_000 + index * 1_500) } as const,
    ]);
    const driver = playedDriver([...steps, answer('Done.', usageOf(5_000))]);
    const test = await testRun(driver, [reader()]);
    expect((await test.run('Go.')).status).toBe('completed');
    const order = test.events
      .map((event) => event.type)
      .filter((type) => type === 'context:compressed' || type === 'llm:response');
    const isBackToBack = order.some(
      (type, index) => type === 'context:compressed' && order[index + 1] === 'context:compressed',
    );
    expect(order).toContain('context:compressed');
    expect(isBackToBack).toBe(false);
  });

  it('6: keeps calls and results paired after cancels, failures and compactions', async () => {
    const move = fc.constantFrom('read', 'unknown', 'broken', 'cancel', 'throw');
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 12 }), async (moves) => {
        const store = createMemoryStore();
        const blobs = createMemoryBlobStore();
        const sent: StepRequest[] = [];
        let controller = new AbortController();
        let next = 0;
        const driver = playedDriver([
          async function* (request: StepRequest): AsyncGenerator<StepEvent> {
            sent.push(request);
            const now = moves[next];
            next += 1;
            if (now === undefined) yield* answer('Done.');
            else if (now === 'read') yield* read(next);
            else if (now === 'unknown') yield* calls({ name: 'nope', callId: `call${next}` });
            else if (now === 'throw') yield* calls({ name: 'boom', callId: `call${next}` });
            else {
              yield { type: 'tool-call', callId: `call${next}`, name: 'read', input: {} };
              if (now === 'cancel') controller.abort();
              yield failure(now === 'cancel' ? 'cancelled' : 'provider_stream_cut', 'broken off', {
                data: { retryAfterMs: 0 },
              });
            }
          },
        ]);
        const boom = testTool('boom', () => Promise.reject(new Error('a defect')));
        const test = await testRun(driver, [reader(), boom], { store, blobs });
        for (let run = 0; run < moves.length + 1 && next <= moves.length; run += 1) {
          controller = new AbortController();
          await test.run(run === 0 ? 'Go.' : 'Go on.', { signal: controller.signal });
        }
        for (const request of sent) {
          const parts = request.messages.flatMap((message) =>
            message.role === 'assistant' ? message.content : [],
          );
          const tools = parts.filter((part) => part.type === 'tool');
          expect(tools.every((part) => part.output.length > 0)).toBe(true);
          expect(new Set(tools.map((part) => part.callId)).size).toBe(tools.length);
        }
        const stored = (await test.messages())
          .flatMap((message) => message.parts)
          .filter((part): part is ToolPart => part.type === 'tool');
        expect(stored.filter((part) => part.state === 'pending' || part.state === 'running')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('7: delivers each accepted user message exactly once', async () => {
    let sent = 0;
    const accepted: string[] = [];
    const say = async (test: {
      runtime: { send: (id: string, content: { type: 'text'; text: string }[]) => Promise<unknown> };
      sessionId: string;
    }) => {
      sent += 1;
      const word = `word-${sent}-of-the-user`;
      await test.runtime.send(test.sessionId, [{ type: 'text', text: word }]);
      accepted.push(word);
    };
    const talker = testTool('read', async () => {
      await say(test);
      await say(test);
      return text(page(sent, 100));
    });
    const driver = playedDriver([
      ...Array.from({ length: 10 }, (_, index) => read(index)),
      async function* (): AsyncGenerator<StepEvent> {
        await say(test);
        yield* answer('Nearly.');
      },
      answer('Done.'),
    ]);
    const test = await testRun(driver, [talker]);
    expect(await test.run('Go.')).toMatchObject({ status: 'completed', text: 'Done.' });
    const userMessages = (await test.messages())
      .filter((message) => message.role === 'user')
      .map((message) => JSON.stringify(message.parts));
    for (const word of accepted) expect(userMessages.filter((one) => one.includes(word))).toHaveLength(1);
    expect(accepted).toHaveLength(21);
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(0);
  });

  it('8: starts no tool again on recovery', async () => {
    const store = createMemoryStore();
    const pay = testTool('pay', () => text('paid'));
    const test = await testRun(playedDriver([answer('I check first.')]), [pay], { store });
    const owner = { host: 'gone', bootId: 'gone', pid: 1, processStartedAt: '0' };
    const { lease } = await store.acquireLease(test.sessionId, {
      runId: 'dead',
      owner,
      ttlMs: -1,
      isAlive: () => false,
    });
    const { message } = await store.appendMessage(lease, {
      id: 'm',
      role: 'assistant',
      parts: [],
      status: 'running',
      createdAt: 1,
      tokenCount: 0,
    });
    const part: ToolPart = { type: 'tool', callId: 'c', name: 'pay', input: {}, state: 'running' };
    await store.putPart(lease, { messageId: message.id, index: 0 }, part);
    expect((await test.run('Go on.')).status).toBe('completed');
    expect(pay.starts).toBe(0);
  });

  it('9: can read cut or hidden output by the handle that replaces it', async () => {
    const secret = 'the-needle-in-line-50';
    const long = `${page(1, 600)}${secret}\n${page(2, 600)}`;
    const tools = [testTool('dump', () => text(long)), reader(), createRecallTool()];
    let handle = '';
    const driver = playedDriver([
      calls({ name: 'dump' }),
      ...Array.from({ length: 10 }, (_, index) => read(index)),
      (request) => {
        const shown = JSON.stringify(request.messages);
        expect(shown).not.toContain(secret);
        handle = /m2\.0/.exec(shown)?.[0] ?? '';
        return [
          { type: 'tool-call', callId: 'r', name: 'recall', input: { handle, from: 590, lines: 20 } },
          { type: 'finish', finishReason: 'tool-calls' },
        ];
      },
      answer('Found.'),
    ]);
    const test = await testRun(driver, tools);
    expect((await test.run('Go.')).status).toBe('completed');
    expect(handle).toBe('m2.0');
    expect(test.of('llm:tool-result').find((event) => event.toolName === 'recall')?.sanitized).toEqual([
      { type: 'text', text: expect.stringContaining(secret) },
    ]);
  });

  it('10: reports an error for a run without an answer, and never returns an earlier answer', async () => {
    const compression = { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 };
    const endings: [readonly PlayedStep[], string][] = [
      [[[failure('provider_auth', 'bad key')]], 'failed'],
      [[answer('')], 'failed'],
      [[calls({ name: 'read' })], 'limit'],
    ];
    for (const [steps, status] of endings) {
      const test = await testRun(playedDriver([answer('An old answer.'), ...steps]), [reader()], {
        compression,
        limits: { steps: 4, tokens: null, costUsd: null, minutes: null },
      });
      expect((await test.run('First.')).status).toBe('completed');
      const result = await test.run('Second.');
      expect(result.status).toBe(status);
      expect(result.text).not.toContain('An old answer.');
      expect(result.error?.message).toBeTruthy();
      expect(test.of('run:finished').at(-1)).toMatchObject({ status, error: { code: expect.any(String) } });
    }
  });

  it('11: has each result of a child once, and one child for each call, whenever the program stops', async () => {
    let isThrough = false;
    let moments = 0;
    for (let moment = 1; !isThrough; moment += 1) {
      moments = moment;
      const inner = createMemoryStore();
      const first = await family(inner, moment);
      const status = await first.test.run('Lead.').then((result) => result.status, toInterrupted);
      isThrough = first.passed() < moment;
      const second = isThrough ? first : await family(inner);
      if (status !== 'completed') await second.test.runtime.resume(first.test.sessionId);
      const { messages } = await inner.readMessages(first.test.sessionId, { limit: 100 });
      const log = messages.map((message) => JSON.stringify(message));
      for (const name of ['part one', 'part two'])
        expect(
          log.filter((one) => one.includes(`Finished ${name}.`)),
          `${name} at ${moment}`,
        ).toHaveLength(1);
      expect(log.at(-1)).toContain('All done.');
      const children = await inner.listSessions({ parentId: first.test.sessionId });
      expect(children.map(({ task }) => task).sort()).toEqual(['Do part one', 'Do part two']);
      for (const { id } of children) expect(await inner.leaseHolder(id)).toBeUndefined();
    }
    expect(moments).toBeGreaterThan(30);
  });
});

/** A program that stops before its run has begun reports an error. */
function toInterrupted(error: unknown): 'interrupted' {
  expect(error).toMatchObject({ code: 'interrupted' });
  return 'interrupted';
}

/** A parent with two children, one of them in the background. The program stops at the given write to the store. */
async function family(inner: Store, stopsAt?: number) {
  let passed = 0;
  const reach = () => {
    passed += 1;
    if (passed === stopsAt) void test.runtime.stop({ graceMs: 0 });
  };
  const subtasks = { agents: [{ name: 'general', description: 'any task.' }], atOnce: 4, maxDepth: 1 };
  const tools = createTools({ task: subtasks }).filter(({ name }) => name === 'task');
  // The second child ends after the parent has said that it waits.
  const hasWaited = Promise.withResolvers<void>();
  if (stopsAt === undefined) hasWaited.resolve();
  const driver = playedDriver([
    async function* ({ messages, signal }) {
      const said = JSON.stringify(messages);
      const part = /Do (part \w+)/.exec(textOf(messages[0]))?.[1];
      if (part === 'part two') {
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await Promise.race([hasWaited.promise, aborted]);
      }
      if (part !== undefined) yield* answer(`Finished ${part}.`);
      else if (!said.includes('Started as')) {
        yield* calls(
          { name: 'task', input: { prompt: 'Do part one' }, callId: 'one' },
          { name: 'task', input: { prompt: 'Do part two', background: true }, callId: 'two' },
        );
      } else if (said.includes('Finished part two.')) yield* answer('All done.');
      else {
        yield* answer('I wait.');
        hasWaited.resolve();
      }
    },
  ]);
  const test = await testRun(driver, tools, {
    store: storeWithFaultPoints(inner, { reach }),
    subtasks,
    agentFor: () => ({ tools }),
  });
  passed = 0;
  return { test, passed: () => passed };
}
