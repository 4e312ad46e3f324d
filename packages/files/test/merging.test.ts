import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newMergePlace } from './merge-support.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
const TEXT = LINES.join('');

/** The text with other lines. */
function withLine(index: number, line: string): string {
  return LINES.map((old, at) => (at === index ? line : old)).join('');
}

function writeBase(folder: string): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/a.ts'), TEXT);
  writeFileSync(join(folder, 'src/b.ts'), 'short\n');
  writeFileSync(join(folder, 'data.bin'), 'one\0two');
  symlinkSync('src/a.ts', join(folder, 'link'));
}

type Write = (folder: string) => void;

/** Merges what two writers make of the same files. */
async function mergeOf(
  ours: Write,
  theirs: Write,
  { conflicts, base: write = writeBase }: { conflicts?: 'markers'; base?: Write } = {},
) {
  const place = await newMergePlace();
  const base = await place.state(write);
  const states = { ours: await place.state(ours, base), theirs: await place.state(theirs, base) };
  const result = await place.merge(base, states, conflicts);
  return { ...place, place, base, states, result };
}

const put =
  (path: string, content: string): Write =>
  (folder) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
const remove =
  (path: string): Write =>
  (folder) =>
    rmSync(join(folder, path), { recursive: true });
const move =
  (from: string, to: string): Write =>
  (folder) => {
    mkdirSync(join(folder, to, '..'), { recursive: true });
    renameSync(join(folder, from), join(folder, to));
  };
const mode =
  (path: string, bits: number): Write =>
  (folder) =>
    chmodSync(join(folder, path), bits);
const all =
  (...writes: Write[]): Write =>
  (folder) => {
    for (const write of writes) write(folder);
  };
const nothing: Write = () => undefined;

describe('merging trees', () => {
  it('joins changes of different files, with modes, links, empty folders and deletions', async () => {
    await using done = await mergeOf(
      all(put('new-here', 'h\n'), remove('src/b.ts')),
      all(
        put('there/new', 't\n'),
        mode('src/a.ts', 0o755),
        (folder) => mkdirSync(join(folder, 'empty'), { mode: 0o700 }),
        remove('link'),
        (folder) => symlinkSync('data.bin', join(folder, 'link')),
      ),
    );
    expect(done.result.conflicts).toEqual([]);
    expect(await done.filesOf(done.result.tree ?? '')).toEqual({
      'data.bin': 'file 644 one\0two',
      empty: 'folder 700',
      link: 'link data.bin',
      'new-here': 'file 644 h\n',
      src: 'folder 755',
      'src/a.ts': `file 755 ${TEXT}`,
      there: 'folder 755',
      'there/new': 'file 644 t\n',
    });
    expect(done.result.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'modified link',
      'modified src/a.ts',
      'added there/new',
    ]);
  });

  it('returns the same tree if there is nothing to take', async () => {
    await using done = await mergeOf(put('src/b.ts', 'here\n'), nothing);
    expect(done.result).toEqual({ tree: done.states.ours, conflicts: [], left: [], files: [] });
    const both = all(put('src/b.ts', 'both\n'), put('new/file', 'both\n'), remove('link'));
    await using same = await mergeOf(both, both);
    expect(same.result).toMatchObject({ tree: same.states.ours, conflicts: [] });
  });

  it('returns their tree if nothing has changed here', async () => {
    const theirs = all(put('a/b/c', 'new\n'), remove('src'), move('data.bin', 'moved.bin'));
    await using done = await mergeOf(nothing, theirs);
    expect(await done.filesOf(done.result.tree ?? '')).toEqual(await done.filesOf(done.states.theirs));
    expect(await done.trees.changes(done.result.tree ?? '', done.states.theirs)).toEqual({ files: [] });
  });

  it('merges a file by lines', async () => {
    await using done = await mergeOf(
      put('src/a.ts', withLine(2, 'here\n')),
      put('src/a.ts', withLine(9, 'there\n')),
    );
    expect(done.result.conflicts).toEqual([]);
    const merged = (await done.filesOf(done.result.tree ?? ''))['src/a.ts'];
    expect(merged).toBe(`file 644 ${withLine(2, 'here\n').replace('line 9\n', 'there\n')}`);
  });

  it('follows a file that one side has renamed', async () => {
    for (const [ours, theirs] of [
      [move('src/a.ts', 'lib/c.ts'), put('src/a.ts', withLine(9, 'changed\n'))],
      [put('src/a.ts', withLine(9, 'changed\n')), move('src/a.ts', 'lib/c.ts')],
      [
        all(move('src/a.ts', 'lib/c.ts'), put('lib/c.ts', withLine(1, 'moved\n'))),
        all(move('src/a.ts', 'lib/c.ts'), put('lib/c.ts', withLine(9, 'changed\n'))),
      ],
    ] as const) {
      await using done = await mergeOf(ours, theirs);
      expect(done.result.conflicts).toEqual([]);
      const files = await done.filesOf(done.result.tree ?? '');
      expect(files['src/a.ts']).toBeUndefined();
      expect(files['lib/c.ts']).toContain('changed\n');
    }
  });

  it('replaces a file with a folder, and a folder with a file', async () => {
    await using done = await mergeOf(
      put('other', 'x\n'),
      all(remove('src'), put('src', 'a file\n'), remove('link'), put('link/inside', 'i\n')),
    );
    expect(done.result.conflicts).toEqual([]);
    expect(await done.filesOf(done.result.tree ?? '')).toMatchObject({
      src: 'file 644 a file\n',
      'link/inside': 'file 644 i\n',
    });
  });

  it('lists each conflict with its reason, and merges nothing', async () => {
    const cases: [string, Write, Write, object][] = [
      [
        'src/a.ts',
        put('src/a.ts', withLine(4, 'h\n')),
        put('src/a.ts', withLine(4, 't\n')),
        { reason: 'lines', lines: [{ start: 5, count: 1 }] },
      ],
      ['data.bin', put('data.bin', '\0here'), put('data.bin', '\0there'), { reason: 'content' }],
      ['new', put('new', '\0h'), put('new', 't\n'), { reason: 'added' }],
      ['src/b.ts', remove('src/b.ts'), put('src/b.ts', 'changed\n'), { reason: 'deleted-here' }],
      ['src/b.ts', put('src/b.ts', 'changed\n'), remove('src/b.ts'), { reason: 'deleted-there' }],
      ['c.ts', move('src/a.ts', 'b.ts'), move('src/a.ts', 'c.ts'), { reason: 'renamed' }],
      ['c.ts', remove('src/a.ts'), move('src/a.ts', 'c.ts'), { reason: 'renamed' }],
      ['c.ts', move('src/a.ts', 'c.ts'), remove('src/a.ts'), { reason: 'renamed' }],
      ['c.ts', put('c.ts', 'mine\n'), move('src/a.ts', 'c.ts'), { reason: 'added' }],
      ['new', put('new/inside', 'folder\n'), put('new', 'file\n'), { reason: 'kind' }],
      ['new', put('new', 'file\n'), put('new/inside', 'folder\n'), { reason: 'kind' }],
      ['src', put('src/more', 'm\n'), all(remove('src'), put('src', 'file\n')), { reason: 'kind' }],
      ['src/b.ts', mode('src/b.ts', 0o600), mode('src/b.ts', 0o755), { reason: 'mode' }],
      [
        'link',
        all(remove('link'), (folder) => symlinkSync('x', join(folder, 'link'))),
        all(remove('link'), (folder) => symlinkSync('y', join(folder, 'link'))),
        { reason: 'content' },
      ],
      [
        'link',
        all(remove('link'), put('link', 'file\n')),
        all(remove('link'), (folder) => symlinkSync('y', join(folder, 'link'))),
        { reason: 'kind' },
      ],
    ];
    for (const [path, ours, theirs, expected] of cases) {
      await using done = await mergeOf(ours, all(theirs, put('more', 'm\n')));
      expect(done.result).toMatchObject({ tree: undefined, files: [], conflicts: [{ path, ...expected }] });
    }
  });

  it('marks texts in conflict and merges the rest, if markers are wanted', async () => {
    await using done = await mergeOf(
      all(put('src/a.ts', withLine(4, 'h\n')), put('data.bin', '\0here')),
      all(put('src/a.ts', withLine(4, 't\n')), put('data.bin', '\0there'), put('more', 'm\n')),
      { conflicts: 'markers' },
    );
    expect(done.result.conflicts.map(({ path }) => path)).toEqual(['data.bin', 'src/a.ts']);
    const marked = withLine(4, '<<<<<<< here\nh\n=======\nt\n>>>>>>> task m12.3\n');
    expect(await done.filesOf(done.result.tree ?? '')).toMatchObject({
      'src/a.ts': `file 644 ${marked}`,
      'data.bin': 'file 644 \0here',
      more: 'file 644 m\n',
    });
  });

  it('leaves what is not recorded', async () => {
    const large = 'x'.repeat(21 * 1_048_576);
    await using done = await mergeOf(
      nothing,
      all(put('.env', 'KEY=1\n'), put('large', large), put('new', 'n\n')),
    );
    expect(done.result.conflicts).toEqual([]);
    expect(done.result.left).toMatchObject([
      { path: '.env', reason: expect.stringContaining('secret') },
      { path: 'large', reason: expect.stringContaining('larger') },
    ]);
    expect(Object.keys(await done.filesOf(done.result.tree ?? ''))).toContain('new');
    await using changed = await mergeOf(put('.env', 'KEY=2\n'), put('.env', 'KEY=3\n'), {
      base: all(writeBase, put('.env', 'KEY=1\n')),
    });
    expect(changed.result).toMatchObject({
      left: [{ path: '.env' }],
      conflicts: [],
      tree: changed.states.ours,
    });
  });

  it('merges one child after the other, and finds nothing more in a child that was merged', async () => {
    await using done = await mergeOf(
      put('src/a.ts', withLine(2, 'first\n')),
      put('src/a.ts', withLine(9, 'second\n')),
    );
    const { base, states } = done;
    const first = await done.merge(base, { ours: base, theirs: states.ours });
    const second = await done.merge(base, { ours: first.tree ?? '', theirs: states.theirs });
    expect(second.conflicts).toEqual([]);
    for (const theirs of [states.ours, states.theirs]) {
      const again = await done.merge(base, { ours: second.tree ?? '', theirs });
      expect(again).toEqual({ tree: second.tree, conflicts: [], left: [], files: [] });
    }
  });

  it('reports a tree that is missing or damaged', async () => {
    await using done = await mergeOf(nothing, nothing);
    const missing = `@tree:${'0'.repeat(64)}`;
    await expect(done.merge(missing, done.states)).rejects.toMatchObject({ code: 'not_found' });
    await expect(done.merge('nonsense', done.states)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
