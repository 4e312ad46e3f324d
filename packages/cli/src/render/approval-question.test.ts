import { expect, it } from 'vitest';
import { approvalQuestion } from './approval-question.ts';

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
  expect(long).toMatch(/^\? write\s+path: a\s+content: x+\s+\[… \d+ characters cut here …\]\s+x+\n$/);
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
