import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { describe, expect, it, test } from 'vitest';
import { changedFiles } from './changed-files.ts';
import { toolFacts } from './tool-facts.ts';

function changes(name: string, input: JsonValue, more: Partial<ToolPart> & { text?: string } = {}): string[] {
  const { text = 'ok', ...rest } = more;
  const part: ToolPart = { type: 'tool', callId: 'c', name, input, state: 'completed', ...rest };
  const whole = { ...part, output: [{ type: 'text' as const, text }] };
  return changedFiles(whole, toolFacts(whole)).map(({ path, action }) => `${action} ${path}`);
}

const bash = (command: string, more?: Partial<ToolPart> & { text?: string }) =>
  changes('bash', { command }, more);

test('reads the files of a patch from the metadata of its result', () => {
  const files = [
    { path: 'a', change: 'added' },
    { path: 'b', change: 'modified' },
    { path: 'c', change: 'deleted' },
    { path: 'd', change: 'renamed' },
    { path: 'f', change: 'other' },
  ];
  const stated = ['created a', 'modified b', 'deleted c', 'created d'];
  expect(changes('apply_patch', {}, { metadata: { files } })).toEqual(stated);
  expect(changes('apply_patch', {}, { metadata: { files }, state: 'error' })).toEqual([]);
});

const PATCH = [
  '*** Begin Patch',
  '*** Add File: src/new.ts',
  '+const a = 1;',
  '*** Update File: /w/src/old name.ts',
  '*** Move to: /w/src/moved.ts',
  '@@',
  '*** Update File: src/b.ts',
  '*** Delete File: src/gone.ts',
  '*** End Patch',
].join('\n');
const PATCHED = [
  'created src/new.ts',
  'moved /w/src/old name.ts',
  'created /w/src/moved.ts',
  'modified src/b.ts',
  'deleted src/gone.ts',
];

describe('a patch in the arguments', () => {
  it.each<[string, string, JsonValue]>([
    ['of a patch tool', 'apply_patch', { input: PATCH }],
    ['under another key', 'apply_patch', { patchText: PATCH }],
    ['as the only argument', 'apply_patch', PATCH],
    ['in a command', 'shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF`] }],
    ['in a script', 'exec', { input: `await tools.apply_patch(${JSON.stringify(PATCH)});` }],
  ])('names its files: %s', (_, name, input) => {
    expect(changes(name, input)).toEqual(PATCHED);
  });

  it('changes nothing if it failed', () => {
    expect(changes('apply_patch', { input: PATCH }, { state: 'error' })).toEqual([]);
  });
});

const DIFF = [
  '--- a/src/x.ts\t2026-01-01',
  '+++ b/src/x.ts',
  '@@ -1 +1 @@',
  '--- /dev/null',
  '+++ b/src/new.ts',
  '--- a/src/gone.ts',
  '+++ /dev/null',
].join('\n');
const DIFFED = ['modified src/x.ts', 'created src/new.ts', 'deleted src/gone.ts'];

describe('a unified diff', () => {
  it('names its files if a tool or a command applies it', () => {
    expect(changes('edit_with_diff', { diff: DIFF })).toEqual(DIFFED);
    expect(bash(`git apply <<'EOF'\n${DIFF}\nEOF`)).toEqual(DIFFED);
    expect(bash(`cat > fix.diff <<'EOF'\n${DIFF}\nEOF\npatch -p1 < fix.diff`)).toEqual([
      'written fix.diff',
      ...DIFFED,
    ]);
  });

  it('changes no file if it is only written, checked or shown', () => {
    expect(bash(`cat > fix.patch <<'EOF'\n${DIFF}\nEOF`)).toEqual(['written fix.patch']);
    expect(bash(`git apply --check <<'EOF'\n${DIFF}\nEOF`)).toEqual([]);
    expect(bash('git diff', { text: DIFF })).toEqual([]);
  });
});

describe('a shell command', () => {
  it.each<[string, string[]]>([
    ["sed -i 's/a/b/' src/a.ts src/b.ts", ['modified src/a.ts', 'modified src/b.ts']],
    ["sed -i '' -e 's/a/b/' -e 's/c/d/' src/a.ts", ['modified src/a.ts']],
    ["sed -i.bak -E 's|a|b|' a.ts", ['modified a.ts']],
    ["sed -n '1,20p' src/a.ts", []],
    ["perl -0pi -e 's/a/b/' src/a.ts", ['modified src/a.ts']],
    ['echo hi > out.txt; echo more >> log.txt', ['written out.txt', 'modified log.txt']],
    ['npm test 2>&1 | tee results.log', ['written results.log']],
    ['npm test > /dev/null 2> errors.txt', []],
    ['ls 2>/dev/null >"my file.txt"', ['written my file.txt']],
    ['mv src/a.ts src/b.ts && rm -rf dist', ['moved src/a.ts', 'written src/b.ts', 'deleted dist']],
    ['git mv src/a.ts lib/', ['moved src/a.ts', 'written lib/a.ts']],
    ['git rm -q old.md', ['deleted old.md']],
    ['cp a.ts b.ts lib', ['written lib/a.ts', 'written lib/b.ts']],
    ['cd /w/app && touch src/new.ts', ['written /w/app/src/new.ts']],
    ['cd app\nsed -i s/a/b/ ./x.ts', ['modified app/x.ts']],
    ['protoc --output=src/api.ts api.proto', ['written src/api.ts']],
    ['rm -f $FILES *.log /tmp/scratch/a.txt', []],
    ['grep "a > b" src/a.ts | wc -l', []],
    [
      "python - <<'PY'\nPath('src/gen.py').write_text(x)\nopen('data.csv', 'w')\nopen('in.csv')\nPY",
      ['written data.csv', 'written src/gen.py'],
    ],
    ['', []],
    ["echo 'unclosed > x.txt", []],
  ])('%s', (command, expected) => {
    expect(bash(command)).toEqual(expected);
  });

  it('changed files before its last command failed', () => {
    const failed = { state: 'error', metadata: { exitCode: 1 } } as const;
    expect(bash('sed -i s/a/b/ x.ts && npm test', failed)).toEqual(['modified x.ts']);
    expect(bash('sed -i s/a/b/ x.ts', failed)).toEqual([]);
  });

  it('names the files that a generator reports', () => {
    const text = 'Reading schema.json\nWrote src/api/client.ts\n✔ Generated: docs/api.md\nupdated 3 files.';
    expect(bash('npm run generate', { text })).toEqual(['written src/api/client.ts', 'written docs/api.md']);
  });
});
