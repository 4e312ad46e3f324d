import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { requestCompaction } from '../context/compaction-request.ts';
import type { Hook, HookEvent, HookResult } from '../ports/hook.ts';

const look = testTool('look', () => text('seen'));
const call = (callId = 'a', input = {}) => calls({ callId, name: 'look', input });

/** Runs a session with hooks. Returns the events that they got. */
async function runWith(
  hooks: Partial<Record<Hook['on'], HookResult | (() => HookResult)>>,
  answers: Parameters<typeof playedDriver>[0],
) {
  const seen: HookEvent[] = [];
  const made = Object.entries(hooks).map(
    ([on, result]): Hook => ({
      on: on as Hook['on'],
      name: 'mine',
      async run(event) {
        seen.push(event);
        return typeof result === 'function' ? result() : result;
      },
    }),
  );
  const test = await testRun(playedDriver(answers), [look], { hooksFor: async () => made });
  const result = await test.run('one');
  const warnings = test.of('context:warning').map(({ message }) => message);
  const parts = (await test.messages()).flatMap((message) => message.parts);
  const tools = parts.filter((part) => part.type === 'tool');
  const notes = async () => (await test.messages()).filter(({ metadata }) => metadata?.synthetic === 'hook');
  return { ...test, result, seen, warnings, tools, notes };
}

it('refuses a call with the reason, and runs no tool', async () => {
  const { tools, seen, warnings } = await runWith({ 'tool.before': { deny: 'not now' } }, [
    call(),
    answer('Done.'),
  ]);
  expect(tools).toMatchObject([{ state: 'error', error: 'Not run: a hook refused it: not now' }]);
  expect(seen).toMatchObject([{ on: 'tool.before', toolName: 'look', callId: 'a', isRepeated: false }]);
  expect(warnings).toEqual(['Hook mine (tool.before) refused: not now']);
});

it('changes the input of a call, and informs the model', async () => {
  const { tools } = await runWith({ 'tool.before': { input: { x: 1 } } }, [call(), answer('Done.')]);
  expect(tools[0]?.state).toBe('completed');
  expect(JSON.stringify(tools[0]?.output)).toContain('a hook changed the arguments to');
});

it('adds text to a result, in the same write', async () => {
  const { tools, seen } = await runWith({ 'tool.after': { text: 'format it' } }, [call(), answer('Done.')]);
  expect(JSON.stringify(tools[0]?.output)).toContain('[from a hook]\\nformat it');
  expect(seen).toMatchObject([{ output: 'seen', isError: false }]);
});

it('adds text to a message, and ends a run whose message is refused before the model is called', async () => {
  const added = await runWith({ 'prompt.submit': { text: 'the branch is main' } }, [answer('Done.')]);
  expect(added.result.status).toBe('completed');
  expect(JSON.stringify(await added.notes())).toContain('the branch is main');
  const refused = await runWith({ 'prompt.submit': { deny: 'has a key' } }, []);
  expect(refused.result).toMatchObject({ status: 'failed', error: { code: 'forbidden' }, stepCount: 0 });
});

it('continues a run with a reason, at most three times', async () => {
  const { result, seen, notes, warnings } = await runWith(
    { 'run.end': { deny: 'run the tests' } },
    Array.from({ length: 4 }, () => answer('Done.')),
  );
  expect(result).toMatchObject({ status: 'completed', stepCount: 4 });
  expect(seen.map((event) => event.on === 'run.end' && event.isContinued)).toEqual([false, true, true, true]);
  expect(await notes()).toHaveLength(3);
  expect(warnings.at(-1)).toContain('continued this run 3 times');
});

it('runs the hooks of the start once a session', async () => {
  const test = await runWith({ 'session.start': { text: 'hello' } }, [answer('One.'), answer('Two.')]);
  await test.run('two');
  expect(test.seen).toEqual([{ on: 'session.start' }]);
  expect(await test.notes()).toHaveLength(1);
});

it('reports a hook that throws, and continues without it', async () => {
  const fail = () => {
    throw new Error('broken');
  };
  const { result, tools, warnings } = await runWith({ 'tool.before': fail, 'run.end': fail }, [
    call(),
    answer('Done.'),
  ]);
  expect(result.status).toBe('completed');
  expect(tools[0]?.state).toBe('completed');
  expect(warnings).toEqual([expect.stringContaining('broken'), expect.stringContaining('broken')]);
});

it('keeps the text of compaction.before word for word after the compaction', async () => {
  const test = await runWith(
    { 'compaction.before': { text: 'KEEP-THIS' }, 'compaction.after': { text: 'AND-THIS' } },
    Array.from({ length: 8 }, () => answer('Done. '.repeat(40))),
  );
  for (const task of ['two', 'three', 'four']) await test.run(task);
  await requestCompaction(test.store, test.sessionId, { at: 1 });
  await test.run('five');
  expect(test.of('context:compressed')).toHaveLength(1);
  expect(test.seen.map(({ on }) => on)).toEqual(['compaction.before', 'compaction.after']);
  expect(JSON.stringify(await test.notes())).toMatch(/KEEP-THIS.*AND-THIS/);
});

/** A hook of one event. */
const hookOf = (on: Hook['on'], run: Hook['run']): Hook => ({ on, name: 'mine', run });

it('never sends a message that a hook has refused, also not after it', async () => {
  const judge = hookOf('prompt.submit', async (event) =>
    event.on === 'prompt.submit' && event.prompt.includes('KEY-1') ? { deny: 'has a key' } : undefined,
  );
  const driver = playedDriver([answer('Done.')]);
  const test = await testRun(driver, [], { hooksFor: async () => [judge] });
  expect(await test.run('my KEY-1')).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
  expect(await test.messages()).toMatchObject([
    {
      role: 'user',
      metadata: { synthetic: 'refused' },
      parts: [{ type: 'notice', text: 'my KEY-1', forModel: false }],
    },
  ]);
  expect(await test.run('two')).toMatchObject({ status: 'completed' });
  expect(driver.requests).toHaveLength(1);
  expect(JSON.stringify(driver.requests[0]?.messages)).toContain('two');
  expect(JSON.stringify(driver.requests[0])).not.toContain('KEY-1');
  expect(await test.store.search('KEY', { limit: 5 })).toEqual([]);
});

it('a refused message says what happens to its file', async () => {
  const judge = hookOf('prompt.submit', async () => ({ deny: 'not today' }));
  const test = await testRun(playedDriver([answer('Done.')]), [], { hooksFor: async () => [judge] });
  const data = Buffer.from('secret text').toString('base64');
  const file = { type: 'file', data, mediaType: 'text/plain', filename: 'notes.txt' } as const;
  const { runtime, sessionId } = test;
  await runtime.queue.enqueue(sessionId, [{ type: 'text', text: 'Read it' }, file]);
  await test.run('Go');
  const [message] = await test.messages();
  expect(message?.parts).toContainEqual({
    type: 'notice',
    text: '[notes.txt is not stored. To send it, attach it again.]',
    forModel: false,
  });
  expect(JSON.stringify(message)).not.toContain(data);
});

it('leaves a message in the queue if the run is cancelled while a hook judges it', async () => {
  const cancel = new AbortController();
  const judge = hookOf('prompt.submit', async () => void cancel.abort());
  const test = await testRun(playedDriver([]), [], { hooksFor: async () => [judge] });
  expect(await test.run('one', { signal: cancel.signal })).toMatchObject({ status: 'cancelled' });
  expect(await test.messages()).toEqual([]);
  expect(await test.store.listQueue(test.sessionId)).toHaveLength(1);
});

it('gives a hook the tool that another one stands for, and changes its input', async () => {
  const inputs: unknown[] = [];
  const real = testTool('real_tool', (input) => {
    inputs.push(input);
    return text('seen');
  });
  const useTool = {
    ...testTool('use_tool', () => text('never')),
    parse: () => ({ ok: true as const, input: { a: 1 }, standsFor: real }),
  };
  const seen: HookEvent[] = [];
  const hook = (on: Hook['on'], result: HookResult): Hook => ({
    on,
    name: 'mine',
    matches: (toolName) => toolName === 'real_tool',
    async run(event) {
      seen.push(event);
      return result;
    },
  });
  const hooks = [hook('tool.before', { input: { a: 2 } }), hook('tool.after', { text: 'noted' })];
  const use = calls({ callId: 'a', name: 'use_tool', input: { name: 'real_tool', input: { a: 1 } } });
  const test = await testRun(playedDriver([use, answer('Done.')]), [real, useTool], {
    hooksFor: async () => hooks,
  });
  await test.run('one');
  expect(inputs).toEqual([{ a: 2 }]);
  expect(seen).toMatchObject([
    { on: 'tool.before', toolName: 'real_tool', input: { a: 1 } },
    { on: 'tool.after', toolName: 'real_tool', input: { a: 2 }, output: expect.stringContaining('seen') },
  ]);
});
