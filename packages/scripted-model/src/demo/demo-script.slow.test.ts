import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatMessage } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APP_FILES, finalText, STORE_CORRECTION, STORE_TEST_CORRECTION } from './app-files.ts';
import { signatureOf } from './calls.ts';
import { BUILT_AT_ONCE, PARTS } from './child-parts.ts';
import { demoScript } from './demo-script.ts';
import { FINAL_TESTS, PLAN } from './plan.ts';
import { PLAN_WITH_CHILDREN } from './plan-with-children.ts';
import { lookAt } from './seen.ts';
import { DEMO_TASK, DEMO_TASK_WITH_CHILDREN, DEMO_VERIFY_COMMAND, STANDING_RULES } from './task.ts';
import { bash, type LoggedCall, playDemo } from './test-support/play-demo.ts';

let workspace: string;

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'demo-script-'));
});
afterEach(() => rm(workspace, { recursive: true }));

function writesByPath(log: readonly LoggedCall[]): Map<string, number> {
  const writes = new Map<string, number>();
  for (const { name, input } of log) {
    if (name === 'write') writes.set(String(input['path']), (writes.get(String(input['path'])) ?? 0) + 1);
  }
  return writes;
}

async function expectFinishedApplication(): Promise<void> {
  for (const path of APP_FILES)
    expect(await readFile(join(workspace, path), 'utf8'), path).toBe(finalText(path));
  const output = await bash(workspace, DEMO_VERIFY_COMMAND);
  expect(output).toMatch(/fail 0[\s\S]*\[exit code 0\]/);
}

describe('without a compaction', () => {
  it('builds the application step by step, with two defects that its tests find and a refused edit', async () => {
    const { steps, chars, log, answer } = await playDemo(workspace);
    expect(answer).toMatch(/all \d+ tests pass/);
    await expectFinishedApplication();
    expect(steps).toBeGreaterThanOrEqual(35);
    expect(steps).toBeLessThanOrEqual(60);
    // Without the output reserve and the system text, 16,000 tokens leave about 10,000 for messages, of about 4
    // characters each. This session is more than twice as large.
    expect(chars).toBeGreaterThan(100_000);
    expect(log.filter(({ name, result }) => name === 'bash' && /exit code 1/.test(result))).toHaveLength(2);
    expect(log.filter(({ name, result }) => name === 'edit' && /matches 2 times/.test(result))).toHaveLength(
      1,
    );
    expect([...writesByPath(log).values()]).toEqual(APP_FILES.map(() => 1));
    expect(log.some(({ result }) => /^Times tables\t200\t197\t/m.test(result))).toBe(true);
  });
});

describe('with compactions', () => {
  it.each([1, 5])(
    'continues at its place if only the last of every %i steps is kept',
    async (compactEvery) => {
      const { compactions, log, answer } = await playDemo(workspace, { compactEvery });
      expect(compactions).toBeGreaterThanOrEqual(2);
      expect(answer).toMatch(/all \d+ tests pass/);
      for (const rule of STANDING_RULES) expect(answer).toContain(rule.name);
      await expectFinishedApplication();
      expect([...writesByPath(log).values()]).toEqual(APP_FILES.map(() => 1));
      expect(log.filter(({ name }) => name === 'recall')).toHaveLength(2);
    },
  );

  it('repeats work if the summary has no todo list', async () => {
    const { log } = await playDemo(workspace, { compactEvery: 4, summary: () => 'Work is under way.' });
    expect(Math.max(...writesByPath(log).values())).toBeGreaterThan(1);
  });
});

describe('with children', () => {
  it.each(['first', 'last'] as const)(
    'builds the same application if the %s of three children ends first, and sees less',
    async (order) => {
      const alone = await playDemo(workspace);
      await rm(workspace, { recursive: true });
      await mkdir(workspace);
      const { chars, log, children, answer } = await playDemo(workspace, {
        task: DEMO_TASK_WITH_CHILDREN,
        order,
      });
      expect(answer).toMatch(/all \d+ tests pass/);
      await expectFinishedApplication();
      expect(log.filter(({ name }) => name === 'task')).toHaveLength(4);
      expect(children.every((child) => child.log.every(({ name }) => name !== 'task'))).toBe(true);
      const writes = [log, ...children.map((child) => child.log)].flatMap((each) => [...writesByPath(each)]);
      expect(writes.map(([path]) => path).sort()).toEqual([...APP_FILES].sort());
      expect(chars).toBeLessThan(0.75 * alone.chars);
    },
  );

  it('continues at its place after compactions, and starts no child twice', async () => {
    const { log, children, answer } = await playDemo(workspace, {
      task: DEMO_TASK_WITH_CHILDREN,
      compactEvery: 1,
    });
    expect(answer).toMatch(/all \d+ tests pass/);
    expect(log.filter(({ name }) => name === 'task')).toHaveLength(4);
    expect(children[3]?.answer).toMatch(/^(?:.*: yes.*\n?){5}$/);
  });

  it('reports a part that a child could not finish', () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: DEMO_TASK_WITH_CHILDREN },
      {
        role: 'assistant',
        content: PLAN_WITH_CHILDREN.map(
          ({ todo }, index) => `${['[x]', '[x]', '[>]'][index] ?? '[ ]'} ${todo}`,
        ).join('\n'),
      },
      ...exchange(
        BUILT_AT_ONCE.map((part) => ({
          name: 'task',
          input: { agent: part.agent, prompt: part.prompt },
          result: '[The task did not complete: cancelled. What follows is its last text.]',
        })),
      ),
    ];
    expect(demoScript({ messages, asksForSummary: false })).toMatchObject({
      text: expect.stringMatching(/^That did not work/),
      toolCalls: [{ name: 'task' }, { name: 'task' }, { name: 'task' }],
    });
  });
});

describe('the standing instructions', () => {
  it('are missing in the README if they are not visible', () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'A flashcard application was asked for.' },
      {
        role: 'assistant',
        content: PLAN.map(
          ({ todo }) => `[${todo.startsWith('README') ? '>' : todo.startsWith('Check') ? ' ' : 'x'}] ${todo}`,
        ).join('\n'),
      },
      ...exchange([
        { name: 'read', input: { path: 'src/cli.js' }, result: '…' },
        { name: 'read', input: { path: 'scripts/make-sample-deck.js' }, result: '…' },
      ]),
    ];
    const call = demoScript({ messages, asksForSummary: false }).toolCalls?.[0];
    expect(call).toMatchObject({ name: 'write', arguments: { path: 'README.md' } });
    for (const { readmeLine } of STANDING_RULES) {
      expect(finalText('README.md')).toContain(readmeLine);
      expect(JSON.stringify(call)).not.toContain(JSON.stringify(readmeLine).slice(1, -1));
    }
  });
});

describe('a request for a summary', () => {
  it.each([
    [
      'after the session itself',
      [
        { role: 'user', content: DEMO_TASK },
        { role: 'assistant', content: 'I wrote src/sm2.js.' },
      ],
    ],
    ['with a transcript', []],
  ] satisfies [string, ChatMessage[]][])('%s gets a narrative', (_, before) => {
    const request: ChatMessage = {
      role: 'user',
      content: 'Summarise the session so far.\n\nTranscript: wrote src/store.js, src/sm2.js',
    };
    const { text = '', toolCalls } = demoScript({ messages: [...before, request], asksForSummary: false });
    expect(toolCalls).toBeUndefined();
    expect(text).toContain('src/sm2.js');
    const words = text.split(/\s+/).length;
    expect(words).toBeGreaterThanOrEqual(100);
    expect(words).toBeLessThanOrEqual(200);
  });
});

describe('a failure', () => {
  const storeTests = {
    name: 'bash',
    input: { command: 'node --test test/store.test.js' },
    result: 'node: not found\n[exit code 127]',
  };
  const planned: ChatMessage[] = [
    { role: 'user', content: DEMO_TASK },
    {
      role: 'assistant',
      content: PLAN.map(({ todo }, index) => `${['[x]', '[x]', '[>]'][index] ?? '[ ]'} ${todo}`).join('\n'),
    },
  ];

  it('is retried once, and then reported', () => {
    const once = [...planned, ...exchange([storeTests])];
    const again = demoScript({ messages: once, asksForSummary: false });
    expect(again.toolCalls).toEqual([{ name: 'bash', arguments: storeTests.input }]);
    const { text, toolCalls } = demoScript({
      messages: [...once, ...exchange([storeTests])],
      asksForSummary: false,
    });
    expect(toolCalls).toBeUndefined();
    expect(text).toMatch(/could not finish [\s\S]*node: not found/);
  });

  it('is reported for a sandbox without Node 24', () => {
    const look = (result: string) =>
      demoScript({
        messages: [
          { role: 'user', content: DEMO_TASK },
          ...exchange([
            { name: 'list', input: {}, result: '(empty)' },
            { name: 'bash', input: { command: 'node --version' }, result },
          ]),
        ],
        asksForSummary: false,
      });
    expect(look('v20.1.0\n[exit code 0]').text).toMatch(/the sandbox has version 20/);
    expect(look('node: not found\n[exit code 127]').text).toMatch(/has no working one/);
    expect(look('v24.1.0\n[exit code 0]').toolCalls?.[0]?.name).toBe('todo');
  });

  it('is not detected for an edit that was made before a crash', () => {
    const calls = (edited: string, tested: string) =>
      exchange([
        {
          name: 'edit',
          input: { path: 'src/store.js', old: STORE_CORRECTION.draft, new: STORE_CORRECTION.final },
          result: edited,
        },
        {
          name: 'edit',
          input: { path: 'test/store.test.js', old: STORE_TEST_CORRECTION.draft },
          result: 'Edited test/store.test.js',
        },
        { name: 'bash', input: { command: 'node --test test/cli.test.js' }, result: tested },
      ]);
    const messages: ChatMessage[] = [
      { role: 'user', content: DEMO_TASK },
      {
        role: 'assistant',
        content: PLAN.map(({ todo }, index) => `${index < 5 ? '[x]' : '[ ]'} ${todo}`).join('\n'),
      },
      ...calls(
        '[Interrupted: the outcome of this call is unknown.]',
        '[Interrupted: the outcome is unknown.]',
      ),
    ];
    const again = demoScript({ messages, asksForSummary: false });
    expect(again.toolCalls?.map(({ name }) => name)).toEqual(['edit', 'edit', 'bash']);
    const refusal = 'src/store.js: `old` was not found. But `new` is already there, at line 80.';
    const next = demoScript({
      messages: [...messages, ...calls(refusal, 'ℹ fail 0\n[exit code 0]')],
      asksForSummary: false,
    });
    expect(next.text).toMatch(/The command line is correct now/);
  });

  it('is reported for a final test run that fails', () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: DEMO_TASK },
      { role: 'assistant', content: PLAN.map(({ todo }) => `[x] ${todo}`).join('\n') },
      ...exchange([
        { name: 'bash', input: { command: FINAL_TESTS }, result: 'ℹ pass 27\nℹ fail 1\n[exit code 1]' },
      ]),
    ];
    expect(demoScript({ messages, asksForSummary: false }).text).toMatch(/not done: 1 tests still fail/);
  });
});

describe('the final answer', () => {
  const finished: ChatMessage[] = [
    { role: 'user', content: DEMO_TASK },
    { role: 'assistant', content: PLAN.map(({ todo }) => `[x] ${todo}`).join('\n') },
    ...exchange([
      { name: 'bash', input: { command: FINAL_TESTS }, result: 'ℹ pass 28\nℹ fail 0\n[exit code 0]' },
    ]),
  ];
  const recalled = exchange([
    {
      name: 'recall',
      input: { handle: 'm6.1' },
      result: '    actual: [ 0, 1, 6, 15 ],\n    expected: [ 1, 6, 15, 38 ],',
    },
  ]);

  it('contains the figures of the first failing run only if they were recalled', () => {
    const figures = '0, 1, 6, 15 days instead of 1, 6, 15, 38';
    const answer = (messages: ChatMessage[]) => demoScript({ messages, asksForSummary: false }).text;
    expect(answer(finished)).toMatch(/all 28 tests pass/);
    expect(answer(finished)).not.toContain(figures);
    expect(answer([...finished, ...recalled])).toContain(figures);
  });
});

let exchanges = 0;

function exchange(calls: readonly LoggedCall[]): ChatMessage[] {
  exchanges += 1;
  const tool_calls = calls.map(({ name, input }, index) => ({
    id: `call_${exchanges}_${index}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  const results = calls.map(
    ({ result }, index): ChatMessage => ({
      role: 'tool',
      tool_call_id: `call_${exchanges}_${index}`,
      content: result,
    }),
  );
  return [{ role: 'assistant', content: '', tool_calls }, ...results];
}

it('makes all calls of a step only in that step, because they identify it', () => {
  const seen = lookAt([{ role: 'user', content: DEMO_TASK }], []);
  for (const { steps } of [...PLAN, ...PLAN_WITH_CHILDREN, ...PARTS]) {
    const made = steps.map((step) =>
      step.calls(seen).map(({ name, arguments: input }) => signatureOf(name, Object(input))),
    );
    for (const [index, later] of made.entries()) {
      for (const earlier of made.slice(0, index)) {
        expect(later.every((call) => earlier.includes(call))).toBe(false);
      }
    }
  }
});
