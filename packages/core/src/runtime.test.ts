import { MiddleRemovalStrategy } from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import {
  answer,
  calls,
  createIdleSandbox,
  playedDriver,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { NO_LIMITS } from './executor/limits/run-limits.ts';

it('ends a run as cancelled, not failed, when it is cancelled while its sandbox opens', async () => {
  const test = await testRun(playedDriver([]), [], {
    openSandbox: async () => {
      throw new LonghaulError('cancelled', 'Cancelled before the sandbox was opened.');
    },
  });
  await expect(test.run('do it')).rejects.toMatchObject({ code: 'cancelled' });
  expect(test.of('run:finished')).toMatchObject([{ status: 'cancelled' }]);
  expect(test.of('session:status').at(-1)).toMatchObject({ status: 'idle' });
  expect(await test.store.getSession(test.sessionId)).toMatchObject({ status: 'cancelled' });
});

it('emits one run:finished when the sandbox cannot be closed', async () => {
  const test = await testRun(playedDriver([answer('Done.')]), [], {
    openSandbox: async () =>
      createIdleSandbox({
        onClose() {
          throw new LonghaulError('sandbox_failed', 'The container does not go away.');
        },
      }),
  });
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  expect(await test.run('do it')).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(test.of('run:finished')).toMatchObject([{ status: 'completed' }]);
  expect((await warned).message).toContain('The container does not go away.');
});

it('reports once that the session has another model, and fits the conversation to its window first', async () => {
  const large = playedDriver([answer('Read.')], { model: 'large', windowTokens: 200_000 });
  const small = playedDriver([answer('Short.')], {
    model: 'small',
    windowTokens: 8_000,
    maxOutputTokens: 1_000,
  });
  const test = await testRun(large, [], {
    driverFor: async (name) => (name === 'played/small' ? small : large),
  });
  await test.store.updateSession(test.sessionId, { model: 'played/large' });
  for (let round = 0; round < 6; round += 1)
    await test.run(`Round ${round}: ${'words of a long task. '.repeat(400)}`);
  expect(test.of('llm:switched')).toEqual([]);
  await test.store.updateSession(test.sessionId, { model: 'played/small' });
  await test.run('Go on.');
  await test.run('And again.');
  const newConfig = { model: 'played/small', windowTokens: 8_000, maxOutputTokens: 1_000 };
  expect(test.of('llm:switched')).toMatchObject([{ newConfig, historyRetained: true }]);
  const order = test.events.map(({ type }) => type);
  const switched = order.indexOf('llm:switched');
  expect(order[switched - 1]).toBe('run:started');
  expect(order.indexOf('context:compressed')).toBeGreaterThan(switched);
  expect(order.indexOf('context:compressed')).toBeLessThan(order.indexOf('llm:thinking', switched));
});

it('gives the session of an agent its own limits and strategy', async () => {
  const look = testTool('look', () => text('found'));
  const driver = playedDriver([calls({ name: 'look' })]);
  const compression = { strategy: new MiddleRemovalStrategy(), auto: true, ledgerShare: 0.2 };
  const test = await testRun(driver, [look], {
    limits: NO_LIMITS,
    agentFor: () => ({ tools: [look], limits: { ...NO_LIMITS, steps: 2 }, compression }),
  });
  expect(await test.run('Look.')).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
  expect(await test.runtime.contextOf(test.sessionId)).toMatchObject({ strategy: 'middle-removal' });
});

it('lists the size of a session whose agent is gone', async () => {
  let isGone = false;
  const test = await testRun(playedDriver([answer('Done.')]), [], {
    agentFor: () => {
      if (isGone) throw new LonghaulError('unknown_agent', 'No agent is called "gone".');
      return { tools: [] };
    },
  });
  await test.run('Do it.');
  isGone = true;
  const session = await test.store.getSession(test.sessionId);
  expect(session && (await test.runtime.lastMeasureOf(session))).toMatchObject({ windowTokens: 16_000 });
});

it('runs only the tools that a message allows, and all for the next message', async () => {
  const ran: string[] = [];
  const tool = (name: string) =>
    testTool(name, () => {
      ran.push(name);
      return text('done');
    });
  const both = calls({ name: 'look' }, { name: 'change' });
  const driver = playedDriver([both, answer('First.'), both, answer('Second.')]);
  const test = await testRun(driver, [tool('look'), tool('change')]);
  const say = (words: string, tools?: readonly string[]) =>
    test.runtime.sendAndWait(test.sessionId, [{ type: 'text', text: words }], { tools });
  expect(await say('Look only.', ['l*'])).toMatchObject({ text: 'First.' });
  expect(ran).toEqual(['look']);
  expect(JSON.stringify(await test.messages())).toContain(
    'Not run: the user allows only look for this message.',
  );
  expect(await say('Now change it.')).toMatchObject({ text: 'Second.' });
  expect(ran).toEqual(['look', 'look', 'change']);
  const offered = driver.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(offered).toEqual([['look'], ['look'], ['look', 'change'], ['look', 'change']]);
  await expect(say('Look.', ['lok'])).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('Did you mean "look"? It has: look, change.'),
  });
});

it('runs a model that cannot call tools without tools, and reports this once', async () => {
  const driver = playedDriver([answer('Hello.')], { withoutTools: 'Choose another one.' });
  const test = await testRun(driver, [testTool('look', () => text('found'))]);
  expect(await test.run('Hi.')).toMatchObject({ status: 'completed', text: 'Hello.' });
  expect(driver.requests[0]?.tools).toEqual([]);
  expect(test.of('context:warning').map(({ message }) => message)).toEqual([
    'played/test cannot call tools. Choose another one. The run continues without tools: the model can answer, but not read or change files, or run commands.',
  ]);
});
