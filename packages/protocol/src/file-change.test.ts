import { expect, it } from 'vitest';
import { describePatch, type FileChange, parseTreeReference, treeReference } from './file-change.ts';

const changed = (path: string, added?: number, removed?: number): FileChange => ({
  path,
  change: 'modified',
  restorable: true,
  ...(added === undefined ? {} : { added }),
  ...(removed === undefined ? {} : { removed }),
});

it('parses the references to trees that it writes, and nothing else', () => {
  const id = '0a'.repeat(32);
  expect(parseTreeReference(treeReference(id))).toBe(id);
  for (const text of [
    id,
    `@blob:${id}`,
    `@tree:${id}0`,
    `@tree:${id}\n`,
    `@tree:${id.toUpperCase()}`,
    '@tree:',
    '',
  ])
    expect(parseTreeReference(text)).toBeUndefined();
});

it('describes a patch by its files and lines, and who changed them', () => {
  const after = treeReference('b'.repeat(64));
  const before = treeReference('a'.repeat(64));
  const files = [changed('a', 10, 1), changed('b', undefined, undefined), changed('c', 0, 1)];
  expect(describePatch({ after, files: [], byAgent: true })).toBe('recorded');
  expect(describePatch({ before, after, files, byAgent: true })).toBe('3 changed (+10 −2)');
  expect(describePatch({ before, after, files: [changed('b')], more: 4, byAgent: false })).toBe(
    '5 changed, not by the agent',
  );
});
