import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Terminal } from '../../terminal.ts';
import { PlainSurface } from './plain-surface.ts';
import { suspended } from './surface.ts';

const opened: PlainSurface[] = [];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  for (const surface of opened.splice(0)) surface.stop();
});

/** A surface on streams, and what happened to it. */
function open() {
  const input = new PassThrough();
  const out = new PassThrough();
  const terminal = { input, out, err: out, env: {}, cwd: '/' } as unknown as Terminal;
  const surface = new PlainSurface(terminal);
  const entered: string[] = [];
  const keys: string[] = [];
  let ends = 0;
  surface.start({
    above: () => [],
    status: () => 'the status',
    onEnter: (text) => void entered.push(text),
    onChange: () => undefined,
    onKey: (data) => keys.push(data) > 0,
    onEnd: () => {
      ends += 1;
    },
  });
  opened.push(surface);
  let shown = '';
  out.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  const type = async (text: string) => {
    if (text !== '') input.write(text);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    vi.runAllTimers();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { surface, type, input, entered, keys, shown: () => shown, ends: () => ends };
}

const REQUEST = { toolName: 'bash', args: { command: 'ls' }, alwaysAllows: ['ls'] };

it('enters lines, and joins those that end with a backslash', async () => {
  const { type, entered } = open();
  for (const line of ['one', 'two\\', 'more\\', 'and more', '']) await type(`${line}\n`);
  expect(entered).toEqual(['one', 'two\nmore\nand more', '']);
});

it('keeps the lines of a paste together, and sends them at Enter', async () => {
  const { type, entered, shown } = open();
  await type('one\ntwo\\\n\nthr');
  expect(entered).toEqual([]);
  expect(shown()).toContain('3 lines were pasted. Press Enter to send them, or Ctrl-C to drop them.\n› ');
  await type('ee\n');
  expect(entered).toEqual(['one\ntwo\\\n\nthree']);
  await type('next\n');
  expect(entered).toHaveLength(2);
});

it('keeps a paste as the draft if the input ends after it', async () => {
  const { surface, input, type, entered, ends } = open();
  input.end('one\ntwo\n');
  await type('');
  expect(ends()).toBe(1);
  expect(entered).toEqual([]);
  expect(surface.text).toBe('one\ntwo\n');
});

it('writes no control sequences', async () => {
  const { surface, type, shown } = open();
  surface.print('text');
  surface.setWorking(true);
  surface.setWorking(false);
  await type('x\n');
  expect(shown()).toContain('text\nthe status\n› ');
  expect(shown()).not.toContain('\u001b');
});

it.each([
  ['1', 'first'],
  ['2', 'second'],
  ['third', 'the third value'],
  ['', undefined],
])('lets the user choose with %j', async (line, expected) => {
  const { surface, type } = open();
  const items = [
    { value: 'first', label: 'one' },
    { value: 'second', label: 'two' },
    { value: 'the third value', label: 'the third' },
  ];
  const picked = surface.pick({ title: 'Which?', items });
  await type(`${line}\n`);
  expect(await picked).toBe(expected);
});

it('asks again after a line that is not an answer', async () => {
  const { surface, type, shown, entered } = open();
  const picked = surface.pick({ title: 'Which?', items: [{ value: 1, label: 'one' }] });
  await type('9\n');
  expect(shown()).toContain('"9" is not an answer.');
  await type('1\n');
  expect(await picked).toBe(1);
  expect(entered).toEqual([]);
});

it.each([
  ['y', { answer: 'once' }],
  ['Yes', { answer: 'once' }],
  ['a', { answer: 'always' }],
  ['n', { answer: 'deny' }],
  ['no, use make', { answer: 'deny', reason: 'use make' }],
  ['w', 'write'],
  ['nothing', undefined],
  ['n use make instead', { answer: 'deny', reason: 'use make instead' }],
])('answers an approval with %j', async (line, expected) => {
  const { surface, type, shown } = open();
  const answers: unknown[] = [];
  surface.askApproval({
    request: REQUEST,
    waiting: 0,
    isUnexpected: false,
    onAnswer: (answer) => answers.push(answer),
    permanent: ['{ a rule }'],
    onAlways: () => answers.push('write'),
    onStop: () => answers.push('stop'),
  });
  await type(`${line}\n`);
  expect(shown()).toContain('Allow bash?');
  expect(shown()).toContain('always in this session: “ls”.');
  expect(answers).toEqual(expected === undefined ? [] : [expected]);
});

it('treats lines as text again after a question was answered or withdrawn', async () => {
  const { surface, type, entered } = open();
  const options = {
    request: REQUEST,
    waiting: 0,
    isUnexpected: false,
    onAnswer: () => undefined,
    onAlways: () => undefined,
    onStop: () => undefined,
  };
  const asked = surface.askApproval(options);
  const later = surface.askApproval(options);
  asked[Symbol.dispose]();
  expect(surface.hasQuestion).toBe(true);
  await type('y\n');
  later[Symbol.dispose]();
  expect(surface.hasQuestion).toBe(false);
  await type('text\n');
  expect(entered).toEqual(['text']);
});

it('asks for the fields of a question of a server, one after another', async () => {
  const { surface, type, shown } = open();
  const field = (name: string, kind: string) => ({ name, label: name, kind, choices: [], isRequired: true });
  const args = { server: 'x', message: 'm', fields: [field('who', 'text'), field('age', 'integer')] };
  const answers: unknown[] = [];
  surface.askApproval({
    request: { toolName: 'mcp_question', args, alwaysAllows: [] },
    waiting: 0,
    isUnexpected: false,
    onAnswer: (answer) => answers.push(answer),
    onAlways: () => undefined,
    onStop: () => undefined,
  });
  await type('Ada\n');
  await type('old\n');
  expect(shown()).toContain('"old" is not an answer.');
  await type('36\n');
  expect(answers).toEqual([{ answer: 'once', content: { who: 'Ada', age: 36 } }]);
  expect(surface.hasQuestion).toBe(false);
});

it('closes a question at Ctrl-C, and otherwise passes the key to the chat', async () => {
  const { surface, keys } = open();
  const picked = surface.pick({ title: 'Which?', items: [{ value: 1, label: 'one' }] });
  process.emit('SIGINT');
  expect(await picked).toBeUndefined();
  expect(keys).toEqual([]);
  process.emit('SIGINT');
  expect(keys).toEqual(['\u0003']);
});

it('reports the end of the input, even after another program used the terminal', async () => {
  const { surface, input, type, entered, ends } = open();
  await suspended(surface, async () => undefined);
  await type('after\n');
  expect(entered).toEqual(['after']);
  input.end();
  await type('');
  expect(ends()).toBe(1);
});

it('shows a returned text, because the terminal edits its own line', async () => {
  const { surface, shown, type } = open();
  surface.text = 'was not sent';
  await type('');
  expect(shown()).toContain('To send again:\nwas not sent\n');
});

it('starts output on a new line, and shows its sign once', async () => {
  const { surface, shown, type } = open();
  await type('hello\n');
  surface.redraw();
  surface.redraw();
  surface.print('the answer');
  surface.redraw();
  await type('');
  expect(shown()).toBe('› › \nthe answer\n› ');
});

it('ends the line in which a person could write', async () => {
  const { surface, shown, type } = open();
  surface.stop();
  await type('');
  expect(shown()).toBe('› \n');
  surface.stop();
  await type('');
  expect(shown()).toBe('› \n');
});
