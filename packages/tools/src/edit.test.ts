import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openToolFixture, textOf } from '../test/tool-fixtures.ts';
import { createEditTool } from './edit.ts';
import { createReadTool } from './read.ts';
import { findMatches, replaceMatches, toLineFeeds } from './text-replacer.ts';

const read = createReadTool();
const edit = createEditTool();

test('replaces a single match, and shows the change with the new line numbers', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.ts', 'one\ntwo\nthree\nfour\nfive\nsix\n');
  const result = await fixture.call(edit, { path: 'a.ts', old: 'three\nfour', new: '3\n3.5\n4' });
  expect(await fixture.get('a.ts')).toBe('one\ntwo\n3\n3.5\n4\nfive\nsix\n');
  expect(textOf(result)).toBe(
    [
      'Edited a.ts',
      '  1\tone',
      '  2\ttwo',
      '- \tthree',
      '- \tfour',
      '+ 3\t3',
      '+ 4\t3.5',
      '+ 5\t4',
      '  6\tfive',
      '  7\tsix',
    ].join('\n'),
  );
  const patch = '@@ -1,6 +1,7 @@\n one\n two\n-three\n-four\n+3\n+3.5\n+4\n five\n six';
  expect(result.metadata).toEqual({ path: 'a.ts', replacements: 1, patch, added: 3, removed: 2 });
});

test('shows no line after the last line feed', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'one\ntwo\n');
  expect(await fixture.text(edit, { path: 'a', old: 'one', new: '1' })).toBe(
    'Edited a\n- \tone\n+ 1\t1\n  2\ttwo',
  );
});

test('edits at the start and at the end of a file', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', '\nx');
  await fixture.call(edit, { path: 'a', old: '\nx', new: 'start' });
  expect(await fixture.get('a')).toBe('start');
  expect(await fixture.text(edit, { path: 'a', old: 'rt', new: 'rs\n' })).toBe(
    'Edited a\n- \tstart\n+ 1\tstars\n+ 2\t',
  );
});

test('refuses an ambiguous match and names all lines', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'x = 1\ny\nx = 1\nz x = 1\n');
  const result = await fixture.call(edit, { path: 'a', old: 'x = 1', new: 'x = 2' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    'a: `old` matches 3 times, at lines 1, 3, 4. Add surrounding lines until it is unique, or set all: true.',
  );
  expect(await fixture.get('a')).toBe('x = 1\ny\nx = 1\nz x = 1\n');
  const all = await fixture.text(edit, { path: 'a', old: 'x = 1', new: 'x = 2', all: 'true' });
  expect(all).toContain('Edited a (3 replacements)');
  expect(await fixture.get('a')).toBe('x = 2\ny\nx = 2\nz x = 2\n');
});

test.each([
  [
    'another indentation',
    '\tfoo();\n\tbar();',
    '    foo();\n    bar();',
    /line 1 begins with 1 tab, `old` has 4 spaces\.\n1\t\tfoo\(\);\n2\t\tbar/,
  ],
  [
    'whitespace at line ends',
    'foo(); \nbar();',
    'foo();\nbar();',
    /at line 1 differs in whitespace only: check the line ends/,
  ],
  ['whitespace inside', 'a = b', 'a  =  b', /differs in whitespace only: inside line 1\.\n1\ta = b/],
  [
    'a similar line',
    'x\nfunction retryAfter(ms: number) {}',
    'function retryAfter(seconds) {}',
    /The nearest text is at line 2:\n2\tfunction retryAfter/,
  ],
  ['nothing similar', 'abc', 'something entirely different', /Nothing in the file is similar/],
  ['line numbers copied from read', 'foo\nbar', '1\tfoo\n2\tbar', /leave out the number and the tab/],
  ['an edit made before', 'const a = 2;', 'const a = 111111111;', /`new` is already there, at line 1/],
])('says what is in the file instead of a missing match: %s', async (_what, content, old, expected) => {
  await using fixture = await openToolFixture();
  await fixture.put('a', content);
  const result = await fixture.call(edit, { path: 'a', old, new: 'const a = 2;' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^a: `old` was not found\. /);
  expect(textOf(result)).toMatch(expected);
  expect(await fixture.get('a')).toBe(content);
});

test('matches line feeds against CRLF, and keeps CRLF and the byte order mark', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', '\ufeffone\r\ntwo\r\nthree\r\n');
  await fixture.call(edit, { path: 'a', old: 'one\ntwo', new: '1\n1.5\n2' });
  expect(await fixture.get('a')).toBe('\ufeff1\r\n1.5\r\n2\r\nthree\r\n');
  await fixture.call(edit, { path: 'a', old: 'three', new: '3\n4' });
  expect(await fixture.get('a')).toBe('\ufeff1\r\n1.5\r\n2\r\n3\r\n4\r\n');
});

test('keeps line ends outside the matches in files with mixed line ends', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '😀'), maxLength: 30 });
  fc.assert(
    fc.property(piece, fc.constantFrom('a', 'ab', 'a\nb', '\n', '\n\n'), piece, (original, old, added) => {
      const replacement = toLineFeeds(added);
      const matches = findMatches(toLineFeeds(original), old);
      const result = replaceMatches(original, matches, { length: old.length, replacement });
      expect(toLineFeeds(result)).toBe(toLineFeeds(original).replaceAll(old, () => replacement));
      if (matches.length === 0) expect(result).toBe(original);
    }),
  );
});

test('refuses an empty or unchanged text, and files that are not UTF-8 text', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'x');
  await fixture.put('bin', Buffer.from('x\0y'));
  await fixture.put('latin', Buffer.from('grün', 'latin1'));
  expect(await fixture.text(edit, { path: 'a', old: '', new: 'y' })).toMatch(/`old` is empty/);
  expect(await fixture.text(edit, { path: 'a', old: 'x', new: 'x' })).toMatch(/are the same/);
  expect(await fixture.text(edit, { path: 'bin', old: 'x', new: 'y' })).toMatch(/not a text file in UTF-8/);
  expect(await fixture.text(edit, { path: 'latin', old: 'gr', new: 'y' })).toMatch(
    /not a text file in UTF-8/,
  );
  expect(await fixture.text(edit, { path: '.', old: 'x', new: 'y' })).toMatch(/is a folder/);
  expect(await fixture.text(edit, { path: 'b', old: 'x', new: 'y' })).toMatch(/does not exist.*use write/);
  expect((await fixture.call(edit, { path: '/etc/hosts', old: 'x', new: 'y' })).isError).toBe(true);
});

test('accepts the field names of other agents, and files with odd names', async () => {
  await using fixture = await openToolFixture();
  const path = '"odd"\nname';
  await fixture.put(path, 'x');
  expect(await fixture.text(edit, { file_path: path, old_string: 'x', new_string: '$&' })).toContain(
    'Edited "\\"odd\\"\\nname"',
  );
  expect(await fixture.get(path)).toBe('$&');
});

test('limits the excerpt of a large change', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'x');
  const text = await fixture.text(edit, { path: 'a', old: 'x', new: 'y\n'.repeat(500) });
  expect(text.split('\n').length).toBeLessThan(15);
  expect(text).toContain('… 493 lines');
});

test('edits control characters as read shows them, and leaves such escapes alone where the file has them as text', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'id,name\r1,Al\r2,Bob');
  expect(await fixture.text(read, { path: 'a' })).toContain(
    '1\tid,name\\u000d1,Al\\u000d2,Bob\n[control characters are shown',
  );
  await fixture.text(edit, { path: 'a', old: 'Al\\u000d2', new: 'Al\\u000d3,Cy\\u000d2', all: false });
  expect(await fixture.get('a')).toBe('id,name\r1,Al\r3,Cy\r2,Bob');
  await fixture.put('b', 'red = "\u001b[31m"; text = "\\u001b[0m";\n');
  const shown = await fixture.text(edit, {
    path: 'b',
    old: '"\\u001b[31m"',
    new: '"\\u001b[32m"',
    all: false,
  });
  expect(shown).toContain('+ 1\tred = "\\u001b[32m"');
  await fixture.text(edit, { path: 'b', old: '"\\u001b[0m"', new: '"\\u001b[1m"', all: false });
  expect(await fixture.get('b')).toBe('red = "\u001b[32m"; text = "\\u001b[1m";\n');
});
