import { createHash } from 'node:crypto';
import type { JsonObject } from '@longhaul/protocol';
import { slowClock } from '@longhaul/testing/clock';
import {
  answer,
  calls,
  type PlayedStep,
  playedDriver,
  testRun,
  testTool,
  text,
  usageOf,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { StepEvent, StepRequest } from '../ports/index.ts';
import { graceMs } from './closing-note.ts';
import { LoopWatch } from './doom-loop.ts';
import { NO_LIMITS, type RunLimits } from './limits/run-limits.ts';

const isLast = ({ tools }: StepRequest) => tools.length === 0;
const lastText = ({ messages }: StepRequest) => {
  const part = messages.at(-1)?.content[0];
  return part?.type === 'text' ? part.text : '';
};

/** Makes a different call in each step until the last one. */
function looking(more: Partial<{ last: readonly StepEvent[]; usage: number }> = {}): PlayedStep {
  let step = 0;
  return (request) => {
    if (isLast(request)) return more.last ?? answer('Half of it is done.', usageOf(500));
    step += 1;
    const events = calls({ name: 'look', callId: `c${step}`, input: { at: `${step}` } });
    const usage = usageOf(more.usage ?? 300);
    return events.map((event) => (event.type === 'finish' ? { ...event, usage } : event));
  };
}

function limited(limits: Partial<RunLimits>, step: PlayedStep = looking(), slowMs = 0) {
  const driver = playedDriver([step]);
  const look = testTool('look', async () => {
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    return text('ok');
  });
  const costOf = ({ totalTokens }: { totalTokens: number }) => totalTokens / 1_000;
  return testRun(driver, [look], { limits: { ...NO_LIMITS, ...limits }, costOf }).then((test) => ({
    test,
    look,
    driver,
  }));
}

describe('at a limit', () => {
  it.each<[string, Partial<RunLimits>, string]>([
    ['steps', { steps: 3 }, '3 steps (limits.steps'],
    ['tokens', { tokens: 900 }, '900 tokens (limits.tokens'],
    ['cost', { costUsd: 0.9 }, '$0.9 (limits.costUsd'],
  ])('of %s, makes one last step without tools and keeps its closing note', async (_name, limits, named) => {
    const { test, look, driver } = await limited(limits);
    const result = await test.run('go');
    expect(result).toMatchObject({
      status: 'limit',
      stepCount: 3,
      text: 'Half of it is done.',
      error: { code: 'limit_reached' },
    });
    expect(result.error?.message).toContain(named);
    expect(look.starts).toBe(3);
    const last = driver.requests.at(-1);
    expect(driver.requests.filter(isLast)).toHaveLength(1);
    expect(last && lastText(last)).toContain(named);
    expect(last?.maxOutputTokens).toBe(1_500);
    // The usage of the closing note counts.
    expect(result.usage.totalTokens).toBe(3 * 310 + 510);
    expect((await test.messages()).at(-2)?.metadata).toEqual({ synthetic: 'limit' });
    expect(test.of('run:finished')).toMatchObject([{ status: 'limit', text: 'Half of it is done.' }]);
  });

  it('of time, aborts the running step and limits the time of the closing note', async () => {
    slowClock();
    const { test, driver } = await limited({ minutes: 0.005 }, looking(), 40);
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'limit', text: 'Half of it is done.' });
    expect(result.error?.message).toContain('0.005 minutes');
    expect(driver.requests.filter(isLast)).toHaveLength(1);
    expect([graceMs(0.005), graceMs(10), graceMs(240), graceMs(null)]).toEqual([
      1_000, 60_000, 120_000, 120_000,
    ]);
  });

  it('does not run the tool calls of the closing note, and closes them with a result', async () => {
    const disobeys: StepEvent[] = [
      { type: 'text-delta', id: 't', text: 'One more.' },
      ...calls({ name: 'look', callId: 'late', input: { at: 'late' } }),
    ];
    const { test, look } = await limited({ steps: 2 }, looking({ last: disobeys }));
    expect(await test.run('go')).toMatchObject({ status: 'limit', text: 'One more.' });
    expect(look.starts).toBe(2);
    expect((await test.messages()).at(-1)?.parts.at(-1)).toMatchObject({
      type: 'tool',
      state: 'error',
      output: [{ type: 'text', text: expect.stringContaining('Not run') }],
    });
  });

  it('ends the run with the limit even if the closing note fails', async () => {
    const fails: StepEvent[] = [{ type: 'finish', finishReason: 'stop' }];
    const { test } = await limited({ steps: 1 }, looking({ last: fails }));
    expect(await test.run('go')).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
    const silent = async function* (request: StepRequest): AsyncGenerator<StepEvent> {
      if (!isLast(request)) yield* calls({ name: 'look', callId: 'c' });
      else throw new Error('the connection is gone');
    };
    const other = await limited({ steps: 1 }, silent);
    expect(await other.test.run('go')).toMatchObject({ status: 'limit', stepCount: 1 });
    expect(other.test.of('context:warning').at(-1)?.message).toContain('could not be written');
  });

  it('leaves the session resumable: the closing note is not a final answer', async () => {
    const { test, look, driver } = await limited({ steps: 2 });
    await test.run('go');
    expect((await test.store.getSession(test.sessionId))?.status).toBe('active');
    expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'limit', stepCount: 2 });
    expect(look.starts).toBe(4);
    const resumed = driver.requests[3];
    expect(resumed && lastText(resumed)).toContain('tools are available again');
    expect(await test.run('and on')).toMatchObject({ status: 'limit' });
    expect(look.starts).toBe(6);
  });
});

describe('a model in a loop', () => {
  /** Repeats the same calls and ignores the warning. */
  const repeating = (...round: string[]): PlayedStep => {
    let step = -1;
    return (request) => {
      if (isLast(request)) return answer('I was stuck.');
      step += 1;
      const at = round[step % round.length] ?? '';
      return calls({ name: 'look', callId: `c${step}`, input: { at } });
    };
  };

  it.each([
    ['one call', ['a'], 4],
    ['two alternating calls', ['a', 'b'], 7],
    ['a sequence of four calls', ['a', 'b', 'c', 'd'], 13],
    ['a sequence of six calls', [...'abcdef'], 19],
    [
      'a sequence of thirty calls',
      ['0', 'a', ...Array.from({ length: 28 }, (_, index) => `${index + 1}`)],
      91,
    ],
  ])(
    '%s: is warned after three repetitions, then stopped, and writes a closing note',
    async (_name, round, steps) => {
      const { test, look, driver } = await limited({}, repeating(...round));
      const result = await test.run('go');
      expect(result).toMatchObject({ status: 'limit', text: 'I was stuck.', error: { code: 'doom_loop' } });
      expect(result.error?.message).toContain('look {"at":"a"}');
      expect(look.starts).toBe(steps);
      const notes = (await test.messages()).filter((message) => message.metadata?.synthetic === 'doom-loop');
      expect(notes).toHaveLength(1);
      const warned = driver.requests[steps - 1];
      expect(warned && lastText(warned)).toContain('3 times in a row');
    },
  );

  it('counts repeated calls within one step', async () => {
    const same = (step: number) =>
      calls(...[1, 2, 3].map((n) => ({ name: 'look', callId: `c${step}-${n}`, input: { at: 'x' } })));
    const { test, look } = await limited({}, (request) =>
      isLast(request) ? answer('I was stuck.') : same(request.messages.length),
    );
    expect(await test.run('go')).toMatchObject({ status: 'limit', error: { code: 'doom_loop' } });
    expect(look.starts).toBe(6);
  });

  it('is warned before it is stopped, even if one step contains all repetitions', async () => {
    const six = (step: number) =>
      calls(
        ...[1, 2, 3, 4, 5, 6].map((n) => ({ name: 'look', callId: `c${step}-${n}`, input: { at: 'x' } })),
      );
    const { test, look } = await limited({}, (request) =>
      lastText(request).includes('3 times') ? answer('I have seen it.') : six(request.messages.length),
    );
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'I have seen it.' });
    expect(look.starts).toBe(6);
  });

  it('does not treat a long sequence as a loop if one of its results changes', async () => {
    let round = 0;
    const look = testTool('look', (input) => {
      if (JSON.stringify(input).includes('"f"')) round += 1;
      return text(JSON.stringify(input).includes('"f"') ? `${round}` : 'same');
    });
    const driver = playedDriver([
      ...Array.from({ length: 24 }, (_, index) =>
        calls({ name: 'look', callId: `c${index}`, input: { at: 'abcdef'.charAt(index % 6) } }),
      ),
      answer('There.'),
    ]);
    const test = await testRun(driver, [look]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'There.' });
    expect(test.of('context:warning')).toEqual([]);
  });

  it('is found across compactions', async () => {
    let step = -1;
    const driver = playedDriver([
      (request) => {
        if (isLast(request)) return answer('I was stuck.');
        step += 1;
        return calls({ name: 'look', callId: `c${step}`, input: { at: 'abcdef'.charAt(step % 6) } });
      },
    ]);
    const look = testTool('look', (input) => text(JSON.stringify(input).repeat(400)));
    const test = await testRun(driver, [look]);
    expect(await test.run('go')).toMatchObject({ status: 'limit', error: { code: 'doom_loop' } });
    expect(test.of('context:compressed').length).toBeGreaterThan(1);
    expect(look.starts).toBe(19);
  });

  it('recognises equal calls with their arguments in another order, and outputs whether or not they were cut', () => {
    const watch = new LoopWatch();
    const id = createHash('sha256').update('the whole text').digest('hex');
    const part = (input: JsonObject, patch: object) => ({
      type: 'tool' as const,
      callId: 'c',
      name: 'read',
      input,
      state: 'completed' as const,
      ...patch,
    });
    const whole = { output: [{ type: 'text', text: 'the whole text' }] };
    const cut = { output: [{ type: 'text', text: 'the … m4.1' }], fullOutput: `@blob:${id}` };
    expect(
      watch.add([part({ path: 'a', limit: 1 }, whole), part({ limit: 1, path: 'a' }, cut)]),
    ).toBeUndefined();
    expect(watch.add([part({ path: 'a', limit: 1 }, whole)])).toMatchObject({ times: 3 });
  });

  it('continues if it obeys the warning', async () => {
    let step = 0;
    const { test } = await limited({}, (request) => {
      step += 1;
      if (lastText(request).includes('3 times')) return answer('I have seen it.');
      return calls({ name: 'look', callId: `c${step}`, input: { at: 'x' } });
    });
    expect(await test.run('go')).toMatchObject({
      status: 'completed',
      text: 'I have seen it.',
      stepCount: 4,
    });
  });

  it('does not treat polling with changing results as a loop', async () => {
    let seen = 0;
    const wait = testTool('look', () => {
      seen += 1;
      return text(`${seen} of 6`);
    });
    const driver = playedDriver([
      ...Array.from({ length: 6 }, (_, index) => calls({ name: 'look', callId: `c${index}`, input: {} })),
      answer('There.'),
    ]);
    const test = await testRun(driver, [wait]);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'There.' });
  });

  it('recognises equal truncated outputs, although each has its own handle', () => {
    const watch = new LoopWatch();
    const part = (handle: string, whole: string) => ({
      type: 'tool' as const,
      callId: handle,
      name: 'read',
      input: {},
      state: 'completed' as const,
      output: [{ type: 'text' as const, text: `…\n[Output truncated] ${handle}` }],
      fullOutput: whole,
      truncated: true,
      handle,
    });
    expect(watch.add([part('m2.1', '@blob:a'), part('m4.1', '@blob:a')])).toBeUndefined();
    expect(watch.add([part('m6.1', '@blob:a')])).toMatchObject({ isKnown: false, times: 3 });
    expect(watch.add([part('m8.1', '@blob:b')])).toBeUndefined();
    expect(new LoopWatch(null).add(Array.from({ length: 9 }, () => part('m', '@blob:a')))).toBeUndefined();
  });
});
