import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { diffsOfCall } from './diffs-of-call.ts';
import { readFilePage } from './read-model.ts';
import { readFound } from './result-model.ts';
import { todoItems } from './todo-model.ts';
import { commandOf, toolKind } from './tool-kind.ts';

function call(name: string, more: Partial<ToolPart> = {}): ToolPart {
  return { type: 'tool', callId: 'c', name, input: {}, state: 'completed', ...more };
}

describe('readFound', () => {
  it('groups the lines of a search by file', () => {
    const { groups, remarks } = readFound(
      'a.ts\n12:match\n13-beside\n--\n40:later\n\nb.ts\n1:x\n[only 100 are shown]',
    );
    expect(groups).toEqual([
      {
        file: 'a.ts',
        lines: [
          { number: 12, text: 'match' },
          { number: 13, text: 'beside', isContext: true },
          { text: '⋯', isContext: true },
          { number: 40, text: 'later' },
        ],
      },
      { file: 'b.ts', lines: [{ number: 1, text: 'x' }] },
    ]);
    expect(remarks).toEqual(['only 100 are shown']);
  });

  it('lists files and trees line by line', () => {
    expect(readFound('src/\n  a.ts 3 kB\nb.txt').groups).toEqual([
      { file: undefined, lines: [{ text: 'src/' }, { text: '  a.ts 3 kB' }, { text: 'b.txt' }] },
    ]);
    expect(readFound('').groups).toEqual([]);
  });
});

describe('readFilePage', () => {
  it('reads numbered lines and remarks', () => {
    expect(readFilePage('7\ta\tb\n8\t\n[Lines 7-8 of 20. Next: offset 9]')).toEqual({
      firstLine: 7,
      text: 'a\tb\n',
      lineCount: 2,
      remarks: ['Lines 7-8 of 20. Next: offset 9'],
    });
    expect(readFilePage('     1→one\n     2→two')?.text).toBe('one\ntwo');
  });

  it.each(['', '[empty file]', 'no numbers', '1\ta\n3\tb', '1\ta\nrest'])('leaves %j as text', (text) => {
    expect(readFilePage(text)).toBeUndefined();
  });
});

describe('diffsOfCall', () => {
  it('shows the recorded patch, and the arguments without one', () => {
    const input = { path: 'a', old: 'x', new: 'y' };
    const kinds = (part: ToolPart) => diffsOfCall(part).map(({ lines }) => lines.map(({ kind }) => kind));
    expect(kinds(call('edit', { input, metadata: { patch: '@@ -1,1 +1,1 @@\n-x\n+y' } }))).toEqual([
      ['removed', 'added'],
    ]);
    expect(kinds(call('edit', { input, state: 'running' }))).toEqual([['removed', 'added']]);
    expect(kinds(call('edit', { input: { edits: [input, input] } }))).toHaveLength(2);
    expect(kinds(call('write', { input: { path: 'a', content: 'x\n' } }))).toEqual([['added']]);
    expect(
      diffsOfCall(
        call('apply_patch', {
          input: { patch: '*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch' },
          metadata: { files: [{}, {}], patch: '@@ -1,1 +0,0 @@\n-x' },
        }),
      ).map(({ label }) => label),
    ).toEqual(['a (deleted)', 'b (deleted)']);
  });

  it.each<JsonValue>([null, 3, 'text', [], { edits: 'x' }, { edits: [null, 3] }, { old: 5 }, { patch: {} }])(
    'shows no change for the arguments %j',
    (input) => {
      expect(diffsOfCall(call('edit', { input }))).toEqual([]);
    },
  );
});

describe('todoItems', () => {
  it('reads the lists of several agents', () => {
    const items: JsonValue[] = [
      { content: 'a', status: 'completed' },
      { step: 'b', status: 'in_progress' },
      'c',
      7,
      {},
    ];
    expect(todoItems(call('TodoWrite', { input: { todos: items } }))).toEqual([
      { text: 'a', state: 'done' },
      { text: 'b', state: 'active' },
      { text: 'c', state: 'open' },
    ]);
    expect(todoItems(call('todo', { input: null }))).toBeUndefined();
    expect(todoItems(call('todo', { metadata: { items: 'x' } }))).toBeUndefined();
  });
});

it('knows the tools of several agents, and reads commands of any shape', () => {
  expect(['Edit', 'Bash', 'Grep', 'TodoWrite', 'constructor', '__proto__'].map(toolKind)).toEqual([
    'edit',
    'command',
    'results',
    'todo',
    'other',
    'other',
  ]);
  expect(commandOf(call('shell', { input: { command: ['ls', '-l', null] } }))).toBe('ls -l …');
  expect(commandOf(call('bash', { input: 3, inputText: '{"comm' }))).toBe('{"comm');
});
