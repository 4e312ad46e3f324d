import type { JsonObject } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { approvalQuestion } from './approval-question.ts';
import { createPaint } from './paint.ts';

it('shows a whole call, with hidden characters escaped', () => {
  const command = `echo ${'long '.repeat(100)}&& rm -rf /`;
  expect(approvalQuestion({ toolName: 'bash', args: { command } })).toBe(`? bash ${command}\n`);
  const sneaky = 'ls\u001b[2K\rrm \u202ex\nnext';
  expect(approvalQuestion({ toolName: 'bash', args: { command: sneaky } })).toBe(
    '? bash\n    ls\\u001b[2K\\u000drm \\u202ex\n    next\n',
  );
  expect(approvalQuestion({ toolName: 'write', args: { path: 'a', content: 'b', deep: [1] } })).toBe(
    '? write\n    path: a\n    content: b\n    deep: [1]\n',
  );
  const long = approvalQuestion({ toolName: 'write', args: { path: 'a', content: `${'x'.repeat(9_000)}` } });
  expect(long).toMatch(
    /^\? write\n {4}path: a\n {4}\+ x+\n {4}\+ \[… \d+ characters cut here …\]\n {4}\+ x+\n$/,
  );
});

it('never cuts a command, however long', () => {
  const command = `echo ${'x'.repeat(9_000)}; rm -rf /; echo ${'x'.repeat(9_000)}`;
  expect(approvalQuestion({ toolName: 'bash', args: { command } })).toBe(`? bash ${command}\n`);
  expect(approvalQuestion({ toolName: 'bash', args: { command, timeoutMs: 5 } })).toContain(command);
});

it.each([
  ['a soft hyphen', 'r\u00adm x', 'r\\u00adm x'],
  ['a filler that is a letter', 'a\u3164b', 'a\\u3164b'],
  ['a braille blank', 'a\u2800b', 'a\\u2800b'],
  ['a blank that is none', 'rm\u00a0x', 'rm\\u00a0x'],
  ['letters of tags', 'ls\u{e0041}', 'ls\\u{e0041}'],
  ['a mark of direction', 'a\u061cb', 'a\\u061cb'],
])('writes out %s', (_, command, shown) => {
  expect(approvalQuestion({ toolName: 'bash', args: { command } })).toBe(`? bash ${shown}\n`);
});

it('shortens long runs of blanks and empty lines, with a note', () => {
  const blanks = approvalQuestion({ toolName: 'bash', args: { command: `rm -rf /;${' '.repeat(4_000)}ls` } });
  expect(blanks).toBe(`? bash rm -rf /;${' '.repeat(16)}[… 3984 more blanks …]ls\n`);
  const empty = approvalQuestion({ toolName: 'bash', args: { command: `rm -rf /${'\n \n'.repeat(50)}ls` } });
  expect(empty).toContain('[… 95 more empty lines …]\n    ls\n');
  const lines = approvalQuestion({ toolName: 'bash', args: { command: 'echo\n'.repeat(40) } });
  expect(lines).toMatch(/\n {2}41 lines, from "\? bash" on\.\n$/);
});

const EDIT = { old: 'a\nb\n', new: 'c', all: false };

it('shows the change of a file as removed and added lines', () => {
  const shown = (args: JsonObject, toolName = 'edit') =>
    approvalQuestion({ toolName, args: { path: 'f', ...args } });
  const lines = '    - a\n    - b\n    + c\n';
  expect(shown({ edits: [EDIT] })).toBe(`? edit\n    path: f\n${lines}`);
  expect(shown({ old: 'a\nb', new: 'c' })).toBe(`? edit\n    path: f\n${lines}`);
  expect(shown({ edits: [EDIT, { ...EDIT, all: true }] })).toBe(
    `? edit\n    path: f\n${lines}    …\n    at every place:\n${lines}`,
  );
  expect(shown({ content: 'one\n\ntwo\n' }, 'write')).toBe(
    '? write\n    path: f\n    + one\n    + \n    + two\n',
  );
});

it('colours removed and added lines', () => {
  const shown = approvalQuestion({ toolName: 'edit', args: { path: 'f', edits: [EDIT] } }, createPaint(true));
  expect(shown).toContain('\u001b[31m- b\u001b[39m\n    \u001b[32m+ c\u001b[39m\n');
});

it('never lets a text look like another line of the question', () => {
  const sneaky = { path: 'f\n    + harmless', edits: [{ ...EDIT, new: 'c\u001b[2K\n\r- d' }] };
  expect(approvalQuestion({ toolName: 'edit', args: sneaky })).toBe(
    '? edit\n    path: f\\u000a    + harmless\n    - a\n    - b\n    + c\\u001b[2K\n    + \\u000d- d\n',
  );
});

it.each<JsonObject>([
  { path: 'f', edits: [EDIT], force: true },
  { path: 'f', edits: [{ ...EDIT, also: 'x' }] },
  { path: 'f', edits: [] },
  { path: 'f', old: 'a' },
  { path: 'f', content: 'c', mode: 'x' },
])('shows %j whole, which is more than a change', (args) => {
  for (const toolName of ['edit', 'write']) {
    const question = approvalQuestion({ toolName, args });
    for (const [name, value] of Object.entries(args))
      expect(question).toContain(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
});

it('colours a command, and dims no part of it', () => {
  const shown = approvalQuestion({ toolName: 'bash', args: { command: 'if true # not' } }, createPaint(true));
  expect(shown).toContain('\u001b[36mif\u001b[39m true # not');
});
