import { expect, it } from 'vitest';
import { approvalQuestion } from './approval-question.ts';

it('shows the whole of a call, and what would hide some of it', () => {
  const command = `echo ${'long '.repeat(100)}&& rm -rf /`;
  expect(approvalQuestion({ toolName: 'bash', args: { command } })).toBe(`? bash ${command}\n`);
  const sneaky = 'ls\u001b[2K\rrm \u202ex\nnext';
  expect(approvalQuestion({ toolName: 'bash', args: { command: sneaky } })).toBe(
    '? bash\n    ls\\u001b[2K\\u000drm \\u202ex\n    next\n',
  );
  expect(approvalQuestion({ toolName: 'write', args: { path: 'a', content: 'b', deep: [1] } })).toBe(
    '? write\n    path: a\n    content: b\n    deep: [1]\n',
  );
  const long = approvalQuestion({ toolName: 'bash', args: { command: `${'x'.repeat(9_000)} && rm` } });
  expect(long).toMatch(/^\? bash\s+x+\s+\[… \d+ characters cut here …\]\s+x+ && rm\n$/);
  expect(long.length).toBeLessThan(8_300);
});
