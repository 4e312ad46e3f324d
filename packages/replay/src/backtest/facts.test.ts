import { describe, expect, test } from 'vitest';
import { factsIn, fileInWorkspace, fileOfCall, splitPath } from './facts.ts';

const found = (text: string) => [...factsIn(text)];

describe('factsIn', () => {
  test('finds paths, dotted names, and names with underscores, digits or an inner capital letter', () => {
    expect(found('see src/app.ts, os.path, my_name, retryAfter and port8080')).toEqual([
      'src/app.ts',
      'os.path',
      'my_name',
      'retryAfter',
      'port8080',
    ]);
  });

  test('ignores plain words of any length, and names of fewer than six characters', () => {
    expect(found('international Workspace a/b x.y a1b2c')).toEqual([]);
  });

  test('finds hashes of 7 to 40 hexadecimal digits, and numbers of six digits or more', () => {
    expect(found('1a2b3c4 and 123456 but not 12345')).toEqual(['1a2b3c4', '123456']);
  });

  test('returns each fact once, in order of appearance', () => {
    expect(found('b_second a_first b_second')).toEqual(['b_second', 'a_first']);
  });

  test('keeps a line number in a path, and drops the leading slash', () => {
    expect(found('/srv/app/main.py:12')).toEqual(['srv/app/main.py:12']);
  });
});

test('fileInWorkspace gives a file one name', () => {
  for (const file of ['home/me/shop/src/a.ts', 'workspace/src/a.ts', 'src/a.ts'])
    expect(fileInWorkspace(file, '/home/me/shop/')).toBe('src/a.ts');
  expect(fileInWorkspace('home/me/shop-old/a.ts', '/home/me/shop')).toBe('home/me/shop-old/a.ts');
  expect(fileInWorkspace('home/me/a.ts', '/')).toBe('home/me/a.ts');
  expect(fileInWorkspace('home/me/a.ts', undefined)).toBe('home/me/a.ts');
});

describe('fileOfCall', () => {
  test('prefers a path argument', () => {
    expect(fileOfCall({ file_path: '/srv/app/main.py', content: 'import other/file.py' })).toBe(
      'srv/app/main.py',
    );
  });

  test('prefers a file to the folder that a command changes to', () => {
    expect(fileOfCall({ command: 'cd /srv/app && cat lib/main.py' })).toBe('lib/main.py');
  });

  test('returns a folder if there is no file, and undefined if there is no path', () => {
    expect(fileOfCall({ command: 'ls lib/core' })).toBe('lib/core');
    expect(fileOfCall({ command: 'git status' })).toBeUndefined();
  });

  test('reads decoded arguments, in which a line break is not a part of a name', () => {
    expect(fileOfCall({ command: 'cd x\nnode run/all.js' })).toBe('run/all.js');
    expect(fileOfCall({ command: 'echo\nrun/all.js' })).toBe('run/all.js');
  });

  test('treats a name with an extension as a file, and a property as none', () => {
    expect(fileOfCall({ command: 'python self.items setup.py' })).toBe('setup.py');
  });
});

test('splitPath separates the last component from its folder', () => {
  expect(splitPath('src/core/app.ts')).toEqual({ folder: 'src/core', name: 'app.ts' });
  expect(splitPath('app.ts')).toBeUndefined();
});
