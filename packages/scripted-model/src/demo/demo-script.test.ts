import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChatMessage } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptReply } from '../script.ts';
import { APP_FILES, finalText } from './app-files.ts';
import { signatureOf } from './calls.ts';
import { demoScript } from './demo-script.ts';
import { FINAL_TESTS, PLAN } from './plan.ts';
import { lookAt } from './seen.ts';
import { DEMO_TASK, DEMO_VERIFY_COMMAND, STANDING_RULES } from './task.ts';

const MAX_STEPS = 120;

let workspace: string;

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'demo-script-'));
});
afterEach(() => rm(workspace, { recursive: true }));

type Input = Readonly<Record<string, unknown>>;
interface LoggedCall {
  name: string;
  input: Input;
  result: string;
}

/** A loop around the script with the least of tools, and a compaction after every so many steps. */
async function run(options: { compactEvery?: number; summary?: (log: LoggedCall[]) => string } = {}) {
  const { compactEvery = Number.POSITIVE_INFINITY, summary = summarise } = options;
  const task: ChatMessage[] = [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: DEMO_TASK },
  ];
  let messages = [...task];
  const log: LoggedCall[] = [];
  let steps = 0;
  let chars = 0;
  let compactions = 0;
  for (; steps < MAX_STEPS; steps += 1) {
    const reply = demoScript({ messages, asksForSummary: false });
    chars += JSON.stringify(reply).length;
    if (reply.toolCalls === undefined) return { steps, chars, compactions, log, answer: reply.text ?? '' };
    const added = await answerCalls(reply, { steps, log });
    chars += added.slice(1).reduce((sum, message) => sum + String(message.content).length, 0);
    messages.push(...added);
    if ((steps + 1) % compactEvery === 0) {
      compactions += 1;
      messages = [...task, { role: 'assistant', content: summary(log) }, ...added];
    }
  }
  return { steps, chars, compactions, log, answer: '' };
}

async function answerCalls(reply: ScriptReply, { steps, log }: { steps: number; log: LoggedCall[] }) {
  const added: ChatMessage[] = [{ role: 'assistant', content: reply.text ?? '', tool_calls: [] }];
  for (const [index, { name, arguments: input }] of (reply.toolCalls ?? []).entries()) {
    if (typeof input === 'string') throw new TypeError('The script sends arguments as objects');
    const id = `call_${steps}_${index}`;
    const result = await useTool(name, input, log);
    log.push({ name, input, result });
    added[0]?.tool_calls?.push({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    });
    added.push({ role: 'tool', tool_call_id: id, content: result });
  }
  return added;
}

async function useTool(name: string, input: Input, log: readonly LoggedCall[]): Promise<string> {
  const path = join(workspace, String(input['path'] ?? '.'));
  switch (name) {
    case 'bash':
      return bashOnce(String(input['command']));
    case 'list':
      return (await readdir(path)).join('\n') || '(empty)';
    case 'read': {
      const lines = (await readFile(path, 'utf8')).split('\n');
      const start = Number(input['offset'] ?? 1) - 1;
      return lines.slice(start, start + Number(input['limit'] ?? 2000)).join('\n');
    }
    case 'write': {
      const created = !existsSync(path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, String(input['content']));
      return `${created ? 'Created' : 'Overwrote'} ${input['path']}`;
    }
    case 'edit': {
      const pieces = (await readFile(path, 'utf8')).split(String(input['old']));
      if (pieces.length !== 2) return `${input['path']}: \`old\` matches ${pieces.length - 1} times`;
      await writeFile(path, pieces.join(String(input['new'])));
      return `Edited ${input['path']}`;
    }
    case 'grep':
      return bash(`grep -rn -- "${input['pattern']}" ${input['path']}`);
    case 'glob':
      return bash('find . -name "*.js"');
    case 'todo':
      return checklist(input);
    case 'recall':
      return recall(input, log);
    default:
      throw new Error(`The script called an unknown tool: ${name}`);
  }
}

const testOutputs = new Map<string, string>();

/** The same tests over the same files end the same way: they run once for all cases here. */
async function bashOnce(command: string): Promise<string> {
  if (!command.startsWith('node --test')) return bash(command);
  const key = JSON.stringify([command, await filesOf('src'), await filesOf('test')]);
  const output = testOutputs.get(key) ?? bash(command);
  testOutputs.set(key, output);
  return output;
}

async function filesOf(folder: string): Promise<string[]> {
  const names = existsSync(join(workspace, folder)) ? (await readdir(join(workspace, folder))).sort() : [];
  return Promise.all(
    names.map(async (name) => `${name}\n${await readFile(join(workspace, folder, name), 'utf8')}`),
  );
}

function bash(command: string): string {
  const env = { HOME: workspace, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout, stderr, status } = spawnSync('bash', ['-c', command], {
    cwd: workspace,
    env,
    encoding: 'utf8',
  });
  return `${stdout}${stderr}\n[exit code ${status}]`;
}

function checklist(input: Input): string {
  const marks: Record<string, string> = { done: '[x]', in_progress: '[>]', pending: '[ ]' };
  const { todo } = lookAt(
    [
      {
        role: 'assistant',
        tool_calls: [
          { id: 't', type: 'function', function: { name: 'todo', arguments: JSON.stringify(input) } },
        ],
      },
    ],
    [],
  );
  return [...(todo ?? [])].map(([text, status]) => `${marks[status]} ${text}`).join('\n');
}

function recall(input: Input, log: readonly LoggedCall[]): string {
  const handle = /^m(\d+)\.0$/.exec(String(input['handle'] ?? ''));
  if (handle !== null) return log[Number(handle[1])]?.result ?? 'Nothing stands there.';
  const hits = log.flatMap((call, index) =>
    call.result.includes('AssertionError') ? [`m${index}.0 (${call.name}): ${call.result.slice(0, 80)}`] : [],
  );
  return hits.join('\n');
}

/** As a ledger puts it: the todo list as its tool showed it, files by folder, commands with their outcome. */
function summarise(log: readonly LoggedCall[]): string {
  const todo = log.findLast((call) => call.name === 'todo')?.result ?? '';
  const files = new Map<string, Set<string>>();
  for (const { name, input } of log) {
    const action = { read: 'read', write: 'created', edit: 'modified' }[name];
    const path = String(input['path']);
    if (action !== undefined) files.set(path, (files.get(path) ?? new Set()).add(action));
  }
  const commands = log.filter((call) => call.name === 'bash');
  return [
    '### Todo list',
    todo,
    '### Files',
    ...[...files].map(([path, actions]) => `  ${path.split('/').at(-1)} (${[...actions].join(', ')}; m3.1)`),
    '### Commands',
    ...commands.map(
      ({ input, result }) => `- \`${input['command']}\` (exit ${/code (\d+)/.exec(result)?.[1]}, 1×, m3.2)`,
    ),
  ].join('\n');
}

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
  const output = await bashOnce(DEMO_VERIFY_COMMAND);
  expect(output).toMatch(/fail 0[\s\S]*\[exit code 0\]/);
}

describe('without a compaction', () => {
  it('builds the application step by step, with two defects that its tests find and a refused edit', async () => {
    const { steps, chars, log, answer } = await run();
    expect(answer).toMatch(/all \d+ tests pass/);
    await expectFinishedApplication();
    expect(steps).toBeGreaterThanOrEqual(35);
    expect(steps).toBeLessThanOrEqual(60);
    // 16,000 tokens less the output reserve and system text leave about 10,000 for messages, some 4 characters each: this is more than twice that.
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
  it.each([1, 5])('goes on where it was when of every %i steps only the last stays', async (compactEvery) => {
    const { compactions, log, answer } = await run({ compactEvery });
    expect(compactions).toBeGreaterThanOrEqual(2);
    expect(answer).toMatch(/all \d+ tests pass/);
    for (const rule of STANDING_RULES) expect(answer).toContain(rule.name);
    await expectFinishedApplication();
    expect([...writesByPath(log).values()]).toEqual(APP_FILES.map(() => 1));
    expect(log.filter(({ name }) => name === 'recall')).toHaveLength(2);
  });

  it('loses its way and repeats work when the summary has no todo list', async () => {
    const { log } = await run({ compactEvery: 4, summary: () => 'Work is under way.' });
    expect(Math.max(...writesByPath(log).values())).toBeGreaterThan(1);
  });
});

describe('the standing instructions', () => {
  it('are missing from README and answer when they are out of sight', () => {
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

describe('what goes wrong', () => {
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

  it('is tried once more, then said plainly', () => {
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

  it('includes a sandbox without Node 24', () => {
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
    expect(look('node: not found\n[exit code 127]').text).toMatch(/has none that answers/);
    expect(look('v24.1.0\n[exit code 0]').toolCalls?.[0]?.name).toBe('todo');
  });

  it('includes a final test run that fails', () => {
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

  it('tells the figures of the first failing run when they were recalled, and not otherwise', () => {
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

it('makes in no step all the calls of a later one, since by them it finds its place', () => {
  const seen = lookAt([{ role: 'user', content: DEMO_TASK }], []);
  for (const { steps } of PLAN) {
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
