import { expect, it } from 'vitest';
import { diffsOf } from './file-diffs.ts';

it('makes one diff of each place that an edit changed', () => {
  const patch = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -9,1 +9,2 @@\n x\n+y\n\\ No newline at end of file';
  const diffs = diffsOf('/work', {
    toolName: 'edit',
    args: { path: 'f.ts' },
    metadata: { path: 'f.ts', patch },
  });
  expect(diffs).toEqual([
    { type: 'diff', path: '/work/f.ts', oldText: 'a\nb\nc', newText: 'a\nB\nc' },
    { type: 'diff', path: '/work/f.ts', oldText: 'x', newText: 'x\ny' },
  ]);
});

it('makes the diffs of a patch of several files, and none of a deleted file', () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: new.txt',
    '+one',
    '*** Update File: old.txt',
    '*** Move to: moved.txt',
    '@@ here',
    ' a',
    '-b',
    '+c',
    '*** Delete File: gone.txt',
    '*** End Patch',
  ].join('\n');
  expect(diffsOf('/work', { toolName: 'apply_patch', args: { patch } })).toEqual([
    { type: 'diff', path: '/work/new.txt', oldText: null, newText: 'one' },
    { type: 'diff', path: '/work/moved.txt', oldText: 'a\nb', newText: 'a\nc' },
  ]);
});

it('names files of a container by their path on this machine', () => {
  const args = { path: '/workspace/a.txt', content: 'x' };
  expect(diffsOf('/home/me/work', { toolName: 'write', args })).toMatchObject([
    { path: '/home/me/work/a.txt' },
  ]);
});

it.each([
  ['another tool', { toolName: 'bash', args: { command: 'ls' } }],
  ['arguments that are no object', { toolName: 'write', args: 'x' }],
  [
    'a write that changed nothing',
    { toolName: 'write', args: { path: 'a', content: 'b' }, metadata: { created: false } },
  ],
])('makes no diff of %s', (_case, given) => {
  expect(diffsOf('/work', given)).toEqual([]);
});
