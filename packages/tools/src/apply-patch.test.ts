import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@longhaul/protocol';
import { describe, expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createApplyPatchTool } from './apply-patch.ts';
import { createBashTool } from './bash.ts';
import { isPatchModel } from './dialect/model-families.ts';

const applyPatch = createApplyPatchTool();
const bash = createBashTool();

function patchOf(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
}

test('adds, updates, moves and deletes several files', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.py', 'def f():\n    return 1\n\ndef g():\n    return 1\n');
  await fixture.put('old name.sh', '#!/bin/sh\necho 1\n');
  await fixture.put("it's.txt", 'x\n');
  const result = await fixture.call(applyPatch, {
    patch: patchOf(
      '*** Add File: new/b.txt',
      '+one',
      '+',
      '+two',
      '*** Update File: a.py',
      '@@ def g():',
      '-    return 1',
      '+    return 2',
      '*** Update File: old name.sh',
      '*** Move to: bin/new.sh',
      '@@',
      ' #!/bin/sh',
      '-echo 1',
      '+echo 2',
      "*** Delete File: it's.txt",
    ),
  });
  expect(textOf(result)).toBe(
    'Success. Updated the following files:\nA new/b.txt\nM a.py\nR "old name.sh" → bin/new.sh\nD it\'s.txt'.replaceAll(
      /"old name\.sh"/g,
      textOf(result).includes('"old name.sh"') ? '"old name.sh"' : 'old name.sh',
    ),
  );
  expect(await fixture.get('new/b.txt')).toBe('one\n\ntwo\n');
  expect(await fixture.get('a.py')).toBe('def f():\n    return 1\n\ndef g():\n    return 2\n');
  expect(await fixture.get('bin/new.sh')).toBe('#!/bin/sh\necho 2\n');
  await expect(stat(join(fixture.root, 'old name.sh'))).rejects.toThrow();
  await expect(stat(join(fixture.root, "it's.txt"))).rejects.toThrow();
  expect(result.metadata).toMatchObject({
    files: [
      { path: 'new/b.txt', change: 'added' },
      { path: 'a.py', change: 'modified' },
      { path: 'bin/new.sh', change: 'renamed', from: 'old name.sh' },
      { path: "it's.txt", change: 'deleted' },
    ],
  });
});

test('writes nothing if a part of the patch cannot be applied', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'one\n');
  const result = await fixture.call(applyPatch, {
    patch: patchOf('*** Add File: b', '+x', '*** Update File: a', '@@', '-two', '+2'),
  });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^a: hunk 1: the lines were not found.*\nNothing was changed\./s);
  await expect(fixture.get('b')).rejects.toThrow();
});

const FILE = 'class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n';

describe('hunks', () => {
  test.each<[string, string, string[], string | RegExp]>([
    [
      'nested headings',
      FILE,
      ['@@ class B:', '@@ def f(self):', '-        return 1', '+        return 2'],
      FILE.replace(/1\n$/, '2\n'),
    ],
    [
      'a heading without its end',
      FILE,
      ['@@ class B', '-        return 1', '+        return 2'],
      FILE.replace(/1\n$/, '2\n'),
    ],
    [
      'a heading of a block with a text that is not indented',
      'def f(a):\n    """\nText.\n    """\n    return 1\n\ndef g():\n    return 1\n',
      ['@@ def f(a):', '-    return 1', '+    return 2'],
      'def f(a):\n    """\nText.\n    """\n    return 2\n\ndef g():\n    return 1\n',
    ],
    ['line numbers in a heading', 'a\nb\nc\n', ['@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c'], 'a\nB\nc\n'],
    ['no heading', 'a\nb\nc\n', [' a', '-b', '+B'], 'a\nB\nc\n'],
    [
      'two places',
      FILE,
      ['@@', '-        return 1', '+        return 2'],
      /hunk 1 matches 2 times, at lines 3, 7/,
    ],
    ['two hunks that have one order', 'x\na\ny\na\n', ['@@', '-a', '+1', '@@', '-a', '+2'], 'x\n1\ny\n2\n'],
    ['hunks in another order', 'aa\nbb\ncc\n', ['@@', '-cc', '+C', '@@', '-aa', '+A'], 'A\nbb\nC\n'],
    [
      'context with other indentation',
      'f {\n\ta();\n\tb();\n}\n',
      ['@@', '     a();', '-    b();', '+    c();'],
      'f {\n\ta();\n\tc();\n}\n',
    ],
    ['context with typographic quotes', 'say(“a”)\nb\n', ['@@', ' say("a")', '-b', '+c'], 'say(“a”)\nc\n'],
    ['context with trailing blanks', 'a  \nb\n', ['@@', ' a', '-b', '+c'], 'a  \nc\n'],
    ['a blank context line without its space', 'a\n\nb\n', ['@@', ' a', '', '-b', '+c'], 'a\n\nc\n'],
    ['a blank line after the hunk', 'a\nb\n', ['@@', ' a', '-b', '+c', ''], 'a\nc\n'],
    ['the end of the file', 'a\nx\na\n', ['@@', '-a', '+b', '*** End of File'], 'a\nx\nb\n'],
    ['only added lines', 'a\n', ['@@', '+b'], 'a\nb\n'],
    [
      'only added lines after a heading',
      'a\nb\n',
      ['@@ a', '+c'],
      /only adds lines: give lines of the file around/,
    ],
    ['CRLF', 'a\r\nb\r\n', ['@@', ' a', '-b', '+c', '+d'], 'a\r\nc\r\nd\r\n'],
    ['a file without a last line feed', 'a\nb', ['@@', ' a', '-b', '+c'], 'a\nc'],
    ['lines that drifted', 'aaaa\nbbbb\ncccc\n', ['@@', ' aaaa', '-bbbX', '+y'], /the lines were not found/],
  ])('%s', async (_what, file, lines, expected) => {
    await using fixture = await openToolFixture();
    await fixture.put('a', file);
    const text = await fixture.text(applyPatch, { patch: patchOf('*** Update File: a', ...lines) });
    if (typeof expected !== 'string') expect(text).toMatch(expected);
    expect(await fixture.get('a')).toBe(typeof expected === 'string' ? expected : file);
  });
});

test('accepts the patch under other names, in a here-document, and as plain text', async () => {
  await using fixture = await openToolFixture();
  const patch = patchOf('*** Add File: a', '+x');
  const forms: JsonValue[] = [
    { input: patch },
    { patchText: patch },
    { patch: `apply_patch <<'EOF'\n${patch}\nEOF` },
    patch,
  ];
  for (const input of forms) {
    expect(await fixture.text(applyPatch, input)).toContain('Updated the following files');
  }
  expect(refusalOf(applyPatch, { patch: '*** Begin Patch\n*** Add File: a\n+x' })).toContain(
    'may have been cut off',
  );
  expect(refusalOf(applyPatch, { patch: 'hello' })).toContain('This is not a patch. Write `*** Begin Patch`');
  expect(refusalOf(applyPatch, { patch: patchOf('*** Add File: a', 'x') })).toContain('must begin with +');
});

test('refuses paths outside the workspace, folders, and a move to an existing file', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'x\n');
  await fixture.put('d/b', 'x\n');
  const refuse = async (...lines: string[]) => {
    const result = await fixture.call(applyPatch, { patch: patchOf(...lines) });
    expect(result.isError).toBe(true);
    return textOf(result);
  };
  expect(await refuse('*** Add File: ../x', '+x')).toContain('leads out of the workspace');
  expect(await refuse('*** Delete File: ../../etc/passwd')).toContain('leads out of the workspace');
  expect(await refuse('*** Delete File: d')).toContain('is a folder');
  expect(await refuse('*** Delete File: none')).toContain('does not exist');
  expect(await refuse('*** Update File: a', '*** Move to: d/b', '@@', '-x', '+y')).toContain(
    'already exists',
  );
  expect(await fixture.get('a')).toBe('x\n');
});

const ADD = patchOf('*** Add File: a.txt', '+it\'s $HOME `x` "q"');

test.each([
  ['a here-document', `apply_patch <<'EOF'\n${ADD}\nEOF\n`],
  ['an unquoted here-document', `apply_patch <<EOF\n${ADD}\nEOF`],
  [
    'a shell with a here-document',
    `bash -lc "apply_patch <<'EOF'\n${ADD.replaceAll('"', '\\"').replaceAll('$', '\\$').replaceAll('`', '\\`')}\nEOF"`,
  ],
  ['an array', ['apply_patch', ADD]],
  ['an array with a shell', ['bash', '-lc', `apply_patch <<'EOF'\n${ADD}\nEOF`]],
  ['cat before a pipe', `cat <<'EOF' | apply_patch\n${ADD}\nEOF`],
  ['cat before a pipe, in a folder', `cd . && cat <<EOF | applypatch\n${ADD}\nEOF\n`],
  ['the name without its underscore', `applypatch <<'EOF'\n${ADD}\nEOF`],
  ['a folder before it', `cd . && apply_patch <<'EOF'\n${ADD}\nEOF`],
])('catches a patch that is typed into bash: %s', async (_what, command) => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(bash, { command })).toContain('Updated the following files:\nA a.txt');
  expect(await fixture.get('a.txt')).toBe('it\'s $HOME `x` "q"\n');
});

test('applies a typed patch in the folder of the call and of cd, and then runs the other commands', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('sub/deep/x', 'x');
  const command = `cd deep && apply_patch <<'EOF' && cat a.txt\n${ADD}\nEOF\npwd`;
  const text = await fixture.text(bash, { command, workdir: 'sub' });
  expect(text).toContain("A sub/deep/a.txt\nit's $HOME");
  expect(text).toContain('/sub/deep\n[exit code 0]');
  const failing = await fixture.call(bash, {
    command: `apply_patch <<'EOF' && touch ran\n${patchOf('*** Delete File: none')}\nEOF`,
  });
  expect(failing.isError).toBe(true);
  expect(textOf(failing)).toContain('the commands after the patch were not run');
  await expect(fixture.get('ran')).rejects.toThrow();
});

test.each([
  ['gpt-5', true],
  ['gpt-5.2-codex', true],
  ['openai/gpt-5-mini', true],
  ['codex-mini-latest', true],
  ['gpt-6', true],
  ['gpt-4o', false],
  ['gpt-4.1', false],
  ['gpt-3.5-turbo', false],
  ['openai/gpt-oss-120b', false],
  ['gpt-oss:20b', false],
  ['claude-sonnet-4-5', false],
  ['qwen3-coder', false],
])('%s knows apply_patch: %s', (model, expected) => {
  expect(isPatchModel(model)).toBe(expected);
});

test.each<[string, string, string[], RegExp]>([
  [
    'a wrong line of context',
    'one\ntwo\nthree\nfour\n',
    [' one hundred and eleven', '-two', '+TWO', ' three'],
    /nearest text is at line 1, and differs from line 1 on, where it has `one`:\n1\tone\n2\ttwo/,
  ],
  [
    'a wrong line of context beside lines that occur several times',
    'def f():\n    x = load()\n    return x\n\ndef g():\n    y = load()\n    return x\n',
    [' # completely invented', '-    return x', '+    return y'],
    /nearest text is at line [26],/,
  ],
  [
    'a first line that is nowhere',
    'def f():\n    value = compute(first, second)\n    return value\n',
    [' @decorator_that_is_not_there', '-    value = compute(first, sekond)', '+    value = 1'],
    /nearest text is at line 1/,
  ],
])('shows the nearest place of a hunk with %s', async (_name, content, lines, message) => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', content);
  const result = await fixture.call(applyPatch, { patch: patchOf('*** Update File: a.txt', '@@', ...lines) });
  expect(textOf(result)).toMatch(message);
  expect(await fixture.get('a.txt')).toBe(content);
});

test.each([
  `git status; apply_patch <<EOF\n${ADD}\nEOF`,
  `git status && apply_patch <<'EOF'\n${ADD}\nEOF`,
  'apply_patch --help',
  'apply_patch file.patch',
  'apply_patch < file.patch',
  'cat file.patch | apply_patch',
  'cat file.patch |applypatch',
  'applypatch',
  'bash -lc "apply_patch x.patch"',
  'if true; then apply_patch x; fi',
  'X=1 apply_patch x',
  'echo $(apply_patch x)',
])('refuses a command that calls apply_patch as a program: %s', async (command) => {
  await using fixture = await openToolFixture();
  const result = await fixture.call(bash, { command });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/Call the tool apply_patch .*Nothing was run/);
  await expect(fixture.get('a.txt')).rejects.toThrow();
});

test.each([
  'echo apply_patch',
  'echo "a; apply_patch b"',
  "cat <<'EOF'\napply_patch x\nEOF",
  'true # apply_patch x',
  'apply_patch_x() { echo 1; }; apply_patch_x',
])('runs a command that only mentions apply_patch: %s', async (command) => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(bash, { command })).toMatch(/exit code 0/);
});

test.each(["eval 'apply_patch x'", 'timeout 5 apply_patch x', "sh -c 'apply_patch x' || true"])(
  'explains what to call if a program did not find apply_patch: %s',
  async (command) => {
    await using fixture = await openToolFixture();
    const text = await fixture.text(bash, { command });
    expect(text).toContain('Call the tool apply_patch');
  },
);
