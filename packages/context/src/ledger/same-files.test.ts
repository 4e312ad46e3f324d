import { expect, test } from 'vitest';
import { fileKey } from './file-paths.ts';
import type { FileFact } from './ledger-facts.ts';
import { sameFiles } from './same-files.ts';
import type { FileAction } from './tool-facts.ts';

function joined(...files: [path: string, ...actions: FileAction[]][]): string[] {
  const facts = new Map<string, FileFact>();
  for (const [index, [path, ...actions]] of files.entries()) {
    const key = fileKey(path);
    facts.set(key, { key, path, actions: new Set(actions), handle: `m${index}`, lastSequence: index });
  }
  return [...sameFiles(facts).files.values()].map(
    ({ path, actions, handle }) => `${path} ${[...actions].join('+')} ${handle}`,
  );
}

test('joins the relative and the absolute path of a file, with what was done to it', () => {
  expect(joined(['/w/shop/src/a.ts', 'read'], ['src/b.ts'], ['src/a.ts', 'modified'])).toEqual([
    'src/b.ts  m1',
    '/w/shop/src/a.ts read+modified m2',
  ]);
});

test('keeps two files apart whose names end alike', () => {
  expect(joined(['/w/shop/web/package.json', 'read'], ['package.json', 'modified'])).toHaveLength(2);
  expect(joined(['lib/src/a.ts', 'read'], ['src/a.ts', 'modified'])).toHaveLength(2);
});

test('takes the folder under which the most files were named as the root', () => {
  const files = joined(
    ['/w/old/src/a.ts'],
    ['/w/shop/src/a.ts'],
    ['/w/shop/src/b.ts'],
    ['src/a.ts'],
    ['src/b.ts'],
  );
  expect(files.map((line) => line.split(' ')[0])).toEqual([
    '/w/old/src/a.ts',
    '/w/shop/src/a.ts',
    '/w/shop/src/b.ts',
  ]);
});

test('finds the joined file for any of its keys', () => {
  const facts = new Map<string, FileFact>();
  for (const path of ['/w/shop/src/a.ts', 'src/a.ts'])
    facts.set(fileKey(path), { key: fileKey(path), path, actions: new Set(), handle: 'm1', lastSequence: 1 });
  const { keyOf } = sameFiles(facts);
  expect([keyOf('src/a.ts'), keyOf('w/shop/src/a.ts'), keyOf('other.ts')]).toEqual([
    'w/shop/src/a.ts',
    'w/shop/src/a.ts',
    'other.ts',
  ]);
});
