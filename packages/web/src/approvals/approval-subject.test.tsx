// @vitest-environment happy-dom
import type { JsonObject } from '@longhaul/protocol';
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { ApprovalSubject } from './approval-subject.tsx';

afterEach(cleanup);

function shown(toolName: string, args: JsonObject): string[] {
  const approval = { sessionId: 's1', callId: 'c1', handle: 'm2.1', toolName, args, requestedAt: 0 };
  const { container } = render(<ApprovalSubject approval={approval} />);
  return [...container.querySelectorAll('.approval-argument')].map((line) => line.textContent ?? '');
}

it.each([
  ['write', { path: 'src/a.ts', content: 'one' }, ['path: src/a.ts']],
  ['edit', { path: 'a', edits: [{ old: 'b', new: 'c', all: true }] }, ['path: a', 'edits[0].all: true']],
  ['edit', { path: 'a', edits: [{ old: 'b', new: 'c', all: false }] }, ['path: a']],
  ['edit', { path: 'a', old: 'b', new: 'c', diff: 'x\ny' }, ['path: a', 'diff: "x\\ny"']],
  ['write', { path: 'a', content: 'real', old: 'b', new: 'c' }, ['path: a', 'content: real']],
  ['bash', { command: 'npm run dev', background: true }, ['background: true']],
  ['apply_patch', { patch: '*** Begin Patch\n*** Delete File: a\n*** End Patch' }, []],
  ['custom', { anything: 1 }, []],
])('shows the arguments of %s that the change or command leaves out', (toolName, args, lines) => {
  expect(shown(toolName, args)).toEqual(lines);
});
