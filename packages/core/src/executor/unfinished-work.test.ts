import type { JsonObject } from '@longhaul/protocol';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createTools } from '@longhaul/tools';
import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from './limits/run-limits.ts';

const todo = createTools({ ripgrep: null }).filter((tool) => tool.name === 'todo');
const plan = (callId: string, ...items: JsonObject[]) => calls({ callId, name: 'todo', input: { items } });
const OPEN = [
  { text: 'Write the parser', status: 'done' },
  { text: 'Run the tests', status: 'in_progress' },
  { text: 'Update the docs', status: 'pending' },
];
const DONE = OPEN.map((item) => ({ ...item, status: 'done' }));

type Test = Awaited<ReturnType<typeof testRun>>;
const asked = async (test: Test) =>
  (await test.messages())
    .filter(({ metadata }) => metadata?.synthetic === 'continue-open')
    .map(({ parts }) => (parts[0]?.type === 'text' ? parts[0].text : ''));

describe('a final answer', () => {
  it('with open todo items is followed by one question, which names them', async () => {
    const driver = playedDriver([
      plan('a', ...OPEN),
      answer('The parser is written.'),
      plan('b', ...DONE),
      answer('All is done.'),
    ]);
    const test = await testRun(driver, todo);
    const result = await test.run('Do it.');
    expect(result).toMatchObject({ status: 'completed', text: 'All is done.', continuationAsks: 1 });
    expect(await asked(test)).toEqual([
      [
        'A note from the program, not from the user. These items of your todo list are open:',
        '- Run the tests',
        '- Update the docs',
        'Continue with the work. If it is done or blocked, update the list and say so. Your next answer without a tool call ends the run and replaces this one, so make it complete.',
      ].join('\n'),
    ]);
    expect(test.of('run:finished')).toMatchObject([{ continuationAsks: 1 }]);
    expect(test.of('context:warning').map(({ message }) => message)).toEqual([
      'The model stopped with 2 open todo items. It was asked once to continue.',
    ]);
  });

  it('is always accepted after the question', async () => {
    const driver = playedDriver([
      plan('a', ...OPEN),
      answer('Let me now run the tests.'),
      answer('Let me now run the tests.'),
    ]);
    const test = await testRun(driver, todo);
    expect(await test.run('Do it.')).toMatchObject({ status: 'completed', stepCount: 3 });
    expect(await asked(test)).toHaveLength(1);
  });

  it('that announces a step is asked about without a list', async () => {
    const test = await testRun(playedDriver([answer('Let me now run the tests.'), answer('They pass.')]));
    expect(await test.run('Do it.')).toMatchObject({ text: 'They pass.', continuationAsks: 1 });
    expect(await asked(test)).toEqual([
      'A note from the program, not from the user. Your answer announces a step, but it contains no tool call. Continue with the work. If it is done or blocked, say so. Your next answer without a tool call ends the run and replaces this one, so make it complete.',
    ]);
  });

  it('is accepted at once if the setting is off', async () => {
    const driver = playedDriver([plan('a', ...OPEN), answer('Let me now run the tests.')]);
    const test = await testRun(driver, todo, { askOpenItems: false });
    expect(await test.run('Do it.')).toMatchObject({
      status: 'completed',
      stepCount: 2,
      continuationAsks: 0,
    });
  });

  it.each([
    ['all items are done', [plan('a', ...DONE), answer('All is done.')]],
    ['no list was kept', [answer('The port is 8080.')]],
    ['it is a question', [plan('a', ...OPEN), answer('Which of the two files?')]],
  ])('is accepted at once if %s', async (_, steps) => {
    const test = await testRun(playedDriver(steps), todo);
    expect(await test.run('Do it.')).toMatchObject({ status: 'completed', continuationAsks: 0 });
    expect(await asked(test)).toEqual([]);
  });

  it('to a question is accepted with open items of an earlier run', async () => {
    const look = testTool('look', () => text('8080'), { isReadOnly: true });
    const driver = playedDriver([
      plan('a', ...OPEN),
      answer('Half is done.'),
      answer('Blocked.'),
      calls({ callId: 'b', name: 'look', input: {} }),
      answer('The port is 8080.'),
    ]);
    const test = await testRun(driver, [...todo, look]);
    await test.run('Do it.');
    expect(await test.run('Which port?')).toMatchObject({ text: 'The port is 8080.', continuationAsks: 0 });
  });

  it('is asked about in a later run that works on the list of an earlier one', async () => {
    const change = testTool('change', () => text('changed'));
    const driver = playedDriver([
      plan('a', ...OPEN),
      answer('Half is done.'),
      answer('Blocked.'),
      calls({ callId: 'b', name: 'change', input: {} }),
      answer('Changed.'),
      answer('That was all.'),
    ]);
    const test = await testRun(driver, [...todo, change]);
    await test.run('Do it.');
    expect(await test.run('Go on.')).toMatchObject({ text: 'That was all.', continuationAsks: 1 });
  });

  it('ends the run as completed if no step is left for an answer to the question', async () => {
    const driver = playedDriver([plan('a', ...OPEN), answer('Half is done.')]);
    const test = await testRun(driver, todo, { limits: { ...NO_LIMITS, steps: 2 } });
    expect(await test.run('Do it.')).toMatchObject({ status: 'completed', continuationAsks: 0 });
  });

  it('is not asked about in a cancelled run', async () => {
    const cancel = new AbortController();
    const driver = playedDriver([
      plan('a', ...OPEN),
      () => {
        cancel.abort();
        return answer('Let me now run the tests.');
      },
    ]);
    const test = await testRun(driver, todo);
    await test.run('Do it.', { signal: cancel.signal });
    expect(await asked(test)).toEqual([]);
  });

  it('gives way to a queued message of the user', async () => {
    const test = await testRun(
      playedDriver([
        plan('a', ...OPEN),
        async function* () {
          await test.runtime.send(test.sessionId, [{ type: 'text', text: 'Use tabs.' }]);
          yield* answer('Half is done.');
        },
        answer('With tabs.'),
        answer('Blocked.'),
      ]),
      todo,
    );
    await test.run('Do it.');
    const users = (await test.messages()).filter(({ role }) => role === 'user');
    expect(users.map(({ metadata }) => metadata?.synthetic ?? 'user')).toEqual([
      'user',
      'user',
      'continue-open',
    ]);
  });

  it('is asked about with the list that a compaction of the run has hidden', async () => {
    const look = testTool('look', () => text('words of a file\n'.repeat(150)));
    const steps = Array.from({ length: 16 }, (_, index) => calls({ name: 'look', callId: `c${index}` }));
    const driver = playedDriver([plan('a', ...OPEN), ...steps, answer('Half is done.'), answer('Blocked.')]);
    const test = await testRun(driver, [...todo, look]);
    const result = await test.run('Do it.');
    expect(result.compactions).toBeGreaterThan(0);
    expect(result).toMatchObject({ text: 'Blocked.', continuationAsks: 1 });
    expect((await asked(test))[0]).toContain('- Run the tests\n- Update the docs');
  });
});
