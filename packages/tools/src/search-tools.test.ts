import { spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@longhaul/protocol';
import { lacks } from '@longhaul/testing/machine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openToolFixture, refusalOf, type ToolFixture, textOf } from '../test/tool-fixtures.ts';
import { createSearchFinder } from './create-tools.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { createPlainSearch } from './plain-search.ts';
import { createRipgrepSearch } from './ripgrep-search.ts';

const hasRipgrep = spawnSync('rg', ['--version']).status === 0;

function testWithRipgrep(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    if (!hasRipgrep)
      return lacks('ripgrep', 'it is not installed; the plain search is still tested', context.skip);
    await body();
  });
}

async function fillWorkspace(fixture: ToolFixture): Promise<void> {
  await fixture.put('src/a.ts', 'const retryAfter = 1;\nlet other;\n// retryAfter again\n');
  await fixture.put('src/deep/b.ts', 'none\nRETRYAFTER\r\n');
  await fixture.put('src/c.js', 'retryAfter in js\n');
  await fixture.put('.hidden/d.ts', 'retryAfter hidden\n');
  await fixture.put('node_modules/p/e.ts', 'retryAfter dependency\n');
  await fixture.put('.git/f.ts', 'retryAfter git\n');
  await fixture.put('data.bin', Buffer.concat([Buffer.from('retryAfter'), Buffer.alloc(500)]));
}

/** Both implementations return the same results. */
describe.each([
  ['ripgrep', 'rg'],
  ['plain JavaScript', null],
])('with %s', (_name, program) => {
  const run = program === null ? test : testWithRipgrep;
  const findSearch = async () => (program === null ? createPlainSearch() : createRipgrepSearch(program));
  const glob = createGlobTool(findSearch);
  const grep = createGrepTool(findSearch);

  run('glob finds files in order, without ignored ones', async () => {
    await using fixture = await openToolFixture();
    await fillWorkspace(fixture);
    expect(await fixture.text(glob, { pattern: '**/*.ts' })).toBe('.hidden/d.ts\nsrc/a.ts\nsrc/deep/b.ts');
    expect(await fixture.text(glob, { pattern: '*.ts', path: 'src' })).toBe('src/a.ts\nsrc/deep/b.ts');
    expect(await fixture.text(glob, { pattern: './src/*.{ts,js}' })).toBe('src/a.ts\nsrc/c.js');
    expect(await fixture.text(glob, { pattern: 'deep/*', path: 'src' })).toBe('src/deep/b.ts');
    expect(await fixture.text(glob, { pattern: `${fixture.root}/src/*.js` })).toBe('src/c.js');
    expect(await fixture.text(glob, { pattern: '*', path: 'node_modules' })).toBe('node_modules/p/e.ts');
    expect(await fixture.text(glob, { pattern: '*.py' })).toMatch(/^No file matches/);
  });

  run('grep shows control characters as escapes, and nothing is left out', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a.csv', 'id,name\r1,Al\r2,Bob');
    await fixture.put('b.txt', 'Bob \u001b[31mred\u001b[0m\r\n');
    expect(await fixture.text(grep, { pattern: 'Bob' })).toBe(
      'a.csv\n1:id,name\\u000d1,Al\\u000d2,Bob\n\nb.txt\n1:Bob \\u001b[31mred\\u001b[0m',
    );
  });

  run('grep searches legacy encodings and UTF-16, but nothing binary', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('latin', Buffer.from('hit é', 'latin1'));
    await fixture.put('short', Buffer.from('éàü hit', 'latin1'));
    await fixture.put('sjis', Buffer.concat([Buffer.from('93fa967b8cea', 'hex'), Buffer.from(' hit')]));
    await fixture.put('wide', Buffer.from('\ufeffein hit für\r\n', 'utf16le'));
    await fixture.put(
      'program',
      Buffer.concat([Buffer.from('7f454c46020101000000', 'hex'), Buffer.from('hit')]),
    );
    const found = await fixture.text(grep, { pattern: 'hit' });
    expect(found.split('\n').filter((line) => /^[a-z]+$/.test(line))).toEqual([
      'latin',
      'short',
      'sjis',
      'wide',
    ]);
    expect(found).toContain('1:ein hit für');
  });

  run('glob stays inside the workspace, follows no link out, and limits its results', async () => {
    await using fixture = await openToolFixture();
    await symlink('/etc', join(fixture.root, 'etc'));
    for (let index = 0; index < 4; index += 1) await fixture.put(`f${index}`, '');
    expect(await fixture.text(glob, { pattern: '**/hostname' })).toMatch(/^No file matches/);
    expect((await fixture.call(glob, { pattern: '../*' })).isError).toBe(true);
    expect((await fixture.call(glob, { pattern: '/etc/*' })).isError).toBe(true);
    expect((await fixture.call(glob, { pattern: '*', path: 'etc' })).isError).toBe(true);
    const capped = createGlobTool(findSearch, { maxPaths: 2 });
    expect(await fixture.text(capped, { pattern: '*' })).toBe(
      'f0\nf1\n[only the first 2 are shown: use a narrower pattern or path]',
    );
  });

  run('grep groups matches by file', async () => {
    await using fixture = await openToolFixture();
    await fillWorkspace(fixture);
    const result = await fixture.call(grep, { pattern: 'retry\\w+' });
    expect(textOf(result)).toBe(
      '.hidden/d.ts\n1:retryAfter hidden\n\nsrc/a.ts\n1:const retryAfter = 1;\n3:// retryAfter again\n\nsrc/c.js\n1:retryAfter in js',
    );
    expect(result.title).toBe('retry\\w+ (4 matches in 3 files)');
    expect(
      await fixture.text(grep, { pattern: 'retryafter', path: 'src', include: '*.ts', ignoreCase: true }),
    ).toBe('src/a.ts\n1:const retryAfter = 1;\n3:// retryAfter again\n\nsrc/deep/b.ts\n2:RETRYAFTER');
    expect(await fixture.text(grep, { pattern: 'other', path: 'src/a.ts', context: 1 })).toBe(
      'src/a.ts\n1-const retryAfter = 1;\n2:let other;\n3-// retryAfter again',
    );
    expect(await fixture.text(grep, { pattern: 'nowhere' })).toMatch(/^No matches/);
  });

  run('grep matches include relative to the folder and to the workspace, and negated', async () => {
    await using fixture = await openToolFixture();
    await fillWorkspace(fixture);
    const deep = 'src/deep/b.ts\n2:RETRYAFTER';
    expect(await fixture.text(grep, { pattern: 'RETRY', path: 'src', include: 'deep/**' })).toBe(deep);
    expect(await fixture.text(grep, { pattern: 'RETRY', path: 'src', include: 'src/deep/*.ts' })).toBe(deep);
    expect(await fixture.text(grep, { pattern: 'retry', path: 'src', include: '!*.js' })).toMatch(
      /^src\/a\.ts\n.*\n[^\n]*$/,
    );
  });

  run('grep marks gaps between contexts', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a', 'hit\n1\n2\n3\n4\nhit\nhit\n');
    expect(await fixture.text(grep, { pattern: 'hit', context: 1 })).toBe(
      'a\n1:hit\n2-1\n--\n5-4\n6:hit\n7:hit',
    );
  });

  run('grep limits matches and long lines', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('many', 'x\n'.repeat(5000));
    await fixture.put('wide', `y${'z'.repeat(100_000)}\n`);
    const capped = createGrepTool(findSearch, { maxMatches: 3 });
    expect(await fixture.text(capped, { pattern: 'x' })).toMatch(
      /^many\n1:x\n2:x\n3:x\n\[3 of 5.000 matches in 1 file are shown: narrow the pattern, path or include\]$/,
    );
    const shown = await fixture.text(grep, { pattern: 'x' });
    expect(shown).toMatch(
      /\n100:x\n\[100 of 5.000 matches in 1 file are shown: .* or set limit \(at most 1000\)\]$/,
    );
    expect(await fixture.text(grep, { pattern: 'x', head_limit: 150 })).toContain('\n150:x\n[150 of');
    expect(await fixture.text(grep, { pattern: 'x', limit: 9_999 })).toContain('\n1000:x\n[1');
    const wide = await fixture.text(grep, { pattern: 'yz' });
    expect(wide).toMatch(/^wide\n1:yz+/);
    expect(wide.length).toBeLessThan(600);
  });

  run('grep understands the options of other agents', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a.ts', 'one\nFoo(1)\nthree\n');
    await fixture.put('b.py', 'foo(1)\n');
    const search = (input: Record<string, JsonValue>) => fixture.text(grep, { pattern: 'foo', ...input });
    expect(await search({ glob: '*.py' })).toBe('b.py\n1:foo(1)');
    expect(await search({ file_pattern: '*.ts', '-i': true })).toBe('a.ts\n2:Foo(1)');
    expect(await search({ case_sensitive: false, type: 'ts' })).toBe('a.ts\n2:Foo(1)');
    expect(await search({ type: 'py', '-n': true, description: 'x' })).toBe('b.py\n1:foo(1)');
    expect(await search({ '-i': true, output_mode: 'files_with_matches' })).toBe('a.ts\nb.py');
    expect(await search({ '-i': true, output_mode: 'count' })).toBe('a.ts:1\nb.py:1');
    expect(await search({ '-i': true, '-A': 1, glob: '*.ts' })).toBe('a.ts\n1-one\n2:Foo(1)\n3-three');
    expect(await search({ pattern: 'foo(1)', literal: true })).toBe('b.py\n1:foo(1)');
    expect(await search({ multiline: true })).toContain('\n[Ignored: `multiline`. Known: `pattern`, ');
  });

  run('grep searches files with odd names, by odd patterns', async () => {
    await using fixture = await openToolFixture();
    const path = 'a "quoted"\nname ü:12:.txt';
    await fixture.put(path, '--files $(touch pwned) `x`\n');
    const expected = `${JSON.stringify(path)}\n1:--files $(touch pwned) \`x\``;
    for (const pattern of ['--files', '-', '\\$\\(touch pwned\\)', '`x`']) {
      expect(await fixture.text(grep, { pattern })).toBe(expected);
    }
    expect(await fixture.text(grep, { pattern: '--', path })).toBe(expected);
    await fixture.put('-e', 'dash\n');
    expect(await fixture.text(grep, { pattern: 'dash', path: '-e' })).toBe('-e\n1:dash');
    await expect(fixture.get('pwned')).rejects.toThrow();
  });

  run('grep explains an invalid pattern', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a', 'x');
    const result = await fixture.call(grep, { pattern: 'foo(' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /^`pattern` is not a valid regular expression\. Escape special characters/,
    );
    expect(refusalOf(grep, { pattern: '' })).toBe('`pattern` is empty.');
  });

  run('grep stays inside the workspace', async () => {
    await using fixture = await openToolFixture();
    await symlink('/etc', join(fixture.root, 'etc'));
    await symlink('/etc/passwd', join(fixture.root, 'passwd'));
    expect(await fixture.text(grep, { pattern: 'root' })).toMatch(/^No matches/);
    for (const path of ['etc', 'passwd', '../', '/etc']) {
      expect((await fixture.call(grep, { pattern: 'root', path })).metadata).toMatchObject({
        code: 'path_outside_workspace',
      });
    }
    expect(await fixture.text(grep, { pattern: 'x', path: 'gone' })).toMatch(/^gone does not exist/);
  });

  run('grep does not block on a pipe in the workspace', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a', 'word');
    spawnSync('mkfifo', [join(fixture.root, 'pipe')]);
    expect(await fixture.text(grep, { pattern: 'word' })).toBe('a\n1:word');
    expect(await fixture.text(grep, { pattern: 'word', path: 'pipe' })).toMatch(/not a regular file/);
  });

  run('both skip ignored files, with the rules of git, also below the root', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('.gitignore', 'dist\n/src/generated.ts\n*.log\n!keep.log\n');
    await fixture.put('src/.gitignore', '/own.ts\ndeep/x.ts\n# own\n*(1).ts\n!/dist\n');
    await fixture.put('src/.ignore', '!own.ts\n');
    await fixture.put('we[i]rd/.gitignore', '*.ts\n!b.ts\n.gitignore\n');
    const kept = ['keep.log', 'src/a.ts', 'src/dist/b.ts', 'src/deep/own.ts', 'src/own.ts', 'we[i]rd/b.ts'];
    const ignored = [
      ...[
        'a.log',
        'dist/a.ts',
        'src/generated.ts',
        'src/deep/x.ts',
        'src/c(1).ts',
        'we[i]rd/a.ts',
        'src/b.log',
      ],
      'we[i]rd/dist/b.ts',
    ];
    for (const path of [...kept, ...ignored]) await fixture.put(path, 'word');
    // The second search knows where the ignore files are.
    for (let search = 0; search < 2; search += 1) {
      const listed = await fixture.text(glob, { pattern: '*.{ts,log}' });
      expect(listed.split('\n')).toEqual(kept.toSorted());
      const found = await fixture.text(grep, { pattern: 'word', path: 'src' });
      expect(found.match(/^.*\.(ts|log)$/gm)).toEqual(kept.filter((path) => path.startsWith('src')).sort());
    }
    await fixture.put('src/deep/.gitignore', '*');
    await fixture.put('we[i]rd/.gitignore', '');
    const listed = await fixture.text(glob, { pattern: '*.ts' });
    // A pattern of `.ignore` overrides those of `.gitignore`, also of folders below.
    expect(listed).toBe('src/a.ts\nsrc/deep/own.ts\nsrc/dist/b.ts\nsrc/own.ts\nwe[i]rd/a.ts\nwe[i]rd/b.ts');
    expect(await fixture.text(grep, { pattern: 'word', path: 'src/c(1).ts' })).toMatch(/1:word/);
  });

  run('both read no ignore file that is a link out, a pipe, a device or too large', async () => {
    await using fixture = await openToolFixture();
    await using secrets = await openToolFixture();
    await secrets.put('secret', 'guess\n');
    for (const folder of ['', 'link/', 'pipe/', 'zero/', 'large/'])
      await fixture.put(`${folder}guess`, 'word');
    for (const name of ['.gitignore', '.ignore', '.rgignore']) {
      await symlink(join(secrets.root, 'secret'), join(fixture.root, name));
      await symlink(join(secrets.root, 'secret'), join(fixture.root, 'link', name));
      spawnSync('mkfifo', [join(fixture.root, 'pipe', name)]);
      await symlink('/dev/zero', join(fixture.root, 'zero', name));
      await fixture.put(`large/${name}`, `guess\n${'#'.repeat(2_000_000)}`);
    }
    await mkdir(join(fixture.root, '.git/info'), { recursive: true });
    await symlink(join(secrets.root, 'secret'), join(fixture.root, '.git/info/exclude'));
    const all = 'guess\nlarge/guess\nlink/guess\npipe/guess\nzero/guess';
    for (let search = 0; search < 2; search += 1) {
      expect(await fixture.text(glob, { pattern: 'guess' })).toBe(all);
      for (const path of ['link', 'pipe', 'zero', 'large'])
        expect(await fixture.text(grep, { pattern: 'word', path })).toBe(`${path}/guess\n1:word`);
    }
  });

  run('both stop when aborted', async () => {
    await using fixture = await openToolFixture();
    await fillWorkspace(fixture);
    fixture.abort.abort();
    await expect(fixture.call(glob, { pattern: '*' })).rejects.toThrow();
    await expect(fixture.call(grep, { pattern: 'x' })).rejects.toThrow();
  });
});

testWithRipgrep('all searches ignore the files that ripgrep itself would ignore', async () => {
  const lines = fc.array(
    fc
      .tuple(
        fc.constantFrom('', '', '!', '/', '!/', '\\', '#'),
        fc.constantFrom('a', 'b', '*', 'a*', '?', '**', 'a/b', 'b/**', '**/a', '*/b', '[ab]', '{a,c}', 'a b'),
        fc.constantFrom('', '', '/', ' ', '\\ ', '/**', '/*'),
      )
      .map((pieces) => pieces.join('')),
    { maxLength: 3 },
  );
  const names = ['.gitignore', '.ignore', 'a/.gitignore', 'b/.ignore', 'b/.rgignore', 'a/b/.gitignore'];
  await fc.assert(
    fc.asyncProperty(fc.tuple(...names.map(() => lines)), async (all) => {
      await using fixture = await openToolFixture();
      for (const file of ['a/a', 'a/b/a', 'a/b/b/c', 'b/a', 'b/b/a', 'c', 'a b', 'b/a b', 'a/c/a'])
        await fixture.put(`${file}.d/b`, '').then(() => fixture.put(file.replace(/^(.)\//, '$1/x/'), ''));
      for (const [index, name] of names.entries()) await fixture.put(name, (all[index] ?? []).join('\n'));
      const native = spawnSync(
        'rg',
        ['--files', '--hidden', '--no-config', '--no-require-git', '--sort=path', '.'],
        { cwd: fixture.root },
      );
      const expected = native.stdout
        .toString()
        .trim()
        .split('\n')
        .map((file) => file.replace(/^\.\//, ''));
      for (const program of ['rg', null]) {
        const tool = createGlobTool(createSearchFinder(program));
        const listed = await fixture.text(tool, { pattern: '*' });
        const files = listed.startsWith('No file') ? [''] : listed.split('\n');
        expect(files.toSorted(), JSON.stringify({ program, all })).toEqual(expected.toSorted());
      }
    }),
    { numRuns: Number(process.env['LONGHAUL_FUZZ_LINES'] ?? 25) },
  );
});

testWithRipgrep('a search that does not end is stopped at a deadline', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('rg', '#!/bin/sh\nexec sleep 1000\n');
  await chmod(join(fixture.root, 'rg'), 0o755);
  const search = createRipgrepSearch(join(fixture.root, 'rg'), { deadlineMs: 50 });
  const result = await fixture.call(
    createGlobTool(async () => search),
    { pattern: '*' },
  );
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    'The search took more than 0.05 s and was stopped. Search a smaller folder with `path`.',
  );
});

test('searches without ripgrep if it cannot be run', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'word');
  const grep = createGrepTool(createSearchFinder('/nowhere/rg'));
  expect(await fixture.text(grep, { pattern: 'word' })).toBe('a\n1:word');
});

describe('without ripgrep, a regular expression that takes exponential time', () => {
  const text = `short\n${'a'.repeat(60)}!\n`;
  const slow = createPlainSearch({ matchDeadlineMs: 300 });

  test('stops a search at the deadline and tells the model what to change', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a.txt', text);
    const result = await fixture.call(
      createGrepTool(async () => slow),
      { pattern: '(a+)+$' },
    );
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/took more than 300 ms on one file.*Avoid nested repetitions/);
    const next = createGrepTool(async () => slow);
    expect(await fixture.text(next, { pattern: '^short$' })).toBe('a.txt\n1:short');
  });

  test('leaves the main thread free and ends at a cancel', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('a.txt', text);
    const grep = createGrepTool(async () => createPlainSearch());
    const searching = fixture.call(grep, { pattern: '(a+)+$' });
    // Timers fire while the expression is matched.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    fixture.abort.abort();
    await expect(searching).rejects.toBe(fixture.abort.signal.reason);
  });

  test('is searched for in the whole of a long line', async () => {
    await using fixture = await openToolFixture();
    await fixture.put('long.txt', `${'x'.repeat(30_000)}needle\nnext\n`);
    const grep = createGrepTool(async () => createPlainSearch());
    expect((await fixture.call(grep, { pattern: 'needle' })).metadata).toMatchObject({ matches: 1 });
  });
});
