import type { JsonValue } from '@longhaul/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { findMatches, replacePlaces, toLineFeeds } from './edit/text-replacer.ts';
import { createEditTool } from './edit.ts';
import { createReadTool } from './read.ts';

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

test('reports what it ignored, and shows the lines', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'f {\n\tfoo();  \n\tbar();\n}\n');
  const text = await fixture.text(edit, {
    path: 'a',
    old: '    foo();\n    bar();',
    new: '    foo();\n    baz();',
  });
  expect(text).toBe(
    [
      'Edited a, matched ignoring indentation, trailing blanks',
      '  1\tf {',
      '- \t\tfoo();  ',
      '- \t\tbar();',
      '+ 2\t\tfoo();  ',
      '+ 3\t\tbaz();',
      '  4\t}',
    ].join('\n'),
  );
});

test('refuses with the true reason, two lines around the nearest place, and what to send', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'one\ntwo\nfunction retryAfter(ms: number) {}\nfour\nfive\nsix\n');
  const result = await fixture.call(edit, { path: 'a', old: 'function retryAfter(seconds) {}', new: 'x' });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    [
      'a: `old` was not found. The nearest text is at line 3:',
      '1\tone',
      '2\ttwo',
      '3\tfunction retryAfter(ms: number) {}',
      '4\tfour',
      '5\tfive',
      'Send `old` again as the file has it, without the numbers and the tab after them. If this is not the text you mean, read the file again.',
    ].join('\n'),
  );
  await fixture.put('b', 'x = 1\u00a0km\n');
  expect(await fixture.text(edit, { path: 'b', old: 'x = 2 km', new: 'y' })).toContain(
    'These lines contain U+00A0 (no-break space).',
  );
});

test.each<[string, JsonValue]>([
  [
    'an array',
    [
      { old: 'one', new: '1' },
      { oldText: 'two', newText: '2' },
    ],
  ],
  ['JSON text', '[{"old_string": "one", "new_string": "1"}, {"old_str": "two", "new_str": "2"}]'],
])('makes several edits of %s, all or none', async (_what, edits) => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'one\ntwo\n');
  expect(await fixture.text(edit, { path: 'a', edits })).toContain(
    'Edited a (2 replacements)\n- \tone\n+ 1\t1',
  );
  expect(await fixture.get('a')).toBe('1\n2\n');
  const refused = await fixture.call(edit, {
    path: 'a',
    edits: [
      { old: '1', new: 'x' },
      { old: '9', new: 'y' },
    ],
  });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toMatch(/^a: edit 2 of 2: `old` was not found\..*Nothing was changed\.$/s);
  expect(await fixture.get('a')).toBe('1\n2\n');
});

test('reads blocks of the form SEARCH/REPLACE as whole lines', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'max = 1\nx = 1\ny = 1\n');
  const diff =
    '------- SEARCH\nx = 1\n=======\nx = 2\n+++++++ REPLACE\n\n<<<<<<< SEARCH\ny = 1\n=======\n>>>>>>> REPLACE';
  expect(await fixture.text(edit, { path: 'a', diff })).toContain('2 replacements');
  expect(await fixture.get('a')).toBe('max = 1\nx = 2\n');
  expect(refusalOf(edit, { path: 'a', diff: 'x' })).toContain('`diff`: it must consist of blocks');
});

test('replaces as often as expected, or not at all', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'x\nx\n');
  const input = { file_path: 'a', old_string: 'x', new_string: 'y' };
  expect(await fixture.text(edit, { ...input, expected_replacements: 3 })).toContain(
    'matches 2 times, not 3 times',
  );
  expect(await fixture.text(edit, { ...input, expected_replacements: 2 })).toContain('2 replacements');
});

test('matches line feeds against CRLF, and keeps CRLF and the byte order mark', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', '\ufeffone\r\ntwo\r\nthree\r\n');
  await fixture.call(edit, { path: 'a', old: 'one\ntwo', new: '1\n1.5\n2' });
  expect(await fixture.get('a')).toBe('\ufeff1\r\n1.5\r\n2\r\nthree\r\n');
  await fixture.call(edit, { path: 'a', old: 'three', new: '3\n4' });
  expect(await fixture.get('a')).toBe('\ufeff1\r\n1.5\r\n2\r\n3\r\n4\r\n');
});

test('keeps line ends outside the matches in files with mixed line ends', async () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '😀'), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      piece,
      fc.constantFrom('a', 'ab', 'a\nb', '\n', '\n\n'),
      piece,
      async (original, old, added) => {
        const replacement = toLineFeeds(added);
        const matches = findMatches(toLineFeeds(original), old);
        const places = matches.map(({ start }) => ({ start, end: start + old.length, text: replacement }));
        const result = await replacePlaces(original, places);
        expect(toLineFeeds(result)).toBe(toLineFeeds(original).replaceAll(old, () => replacement));
        if (matches.length === 0) expect(result).toBe(original);
      },
    ),
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

test('edits control characters as read shows them, and does not change such escapes that are text in the file', async () => {
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
