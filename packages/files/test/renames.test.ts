import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentIndex, fingerprintOf } from '../src/diff/content-index.ts';
import { createFileTrees } from '../src/index.ts';
import { KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

const lines = (from: number, to: number, text = 'line') =>
  Array.from({ length: to - from }, (_, index) => `${text} ${from + index}\n`).join('');

/** Records the workspace before and after a change. */
async function changed(place: Place, change: () => void) {
  const recorder = await place.open();
  const before = await recorder.record();
  change();
  const after = await recorder.record();
  if (before === undefined || after === undefined) throw new Error('Nothing has changed.');
  const trees = createFileTrees({
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings: SETTINGS,
  });
  let diff = '';
  for await (const piece of trees.diff(before.after, after.after)) diff += piece;
  return { before: before.after, files: after.files, diff, trees };
}

function write(place: Place, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(place.workspace, name, '..'), { recursive: true });
    writeFileSync(join(place.workspace, name), content);
  }
}

function git(folder: string, args: readonly string[], input?: string): string {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..'), GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', args, { cwd: folder, input, env, stdio: 'pipe' }).toString();
}

/** Applies a diff to the first state, and takes it back. */
async function expectApplies(place: Place, { before, diff, trees }: Awaited<ReturnType<typeof changed>>) {
  const folder = join(place.path, 'applied');
  await trees.materialise(before, folder);
  const start = snapshot(folder);
  git(folder, ['apply', '--whitespace=nowarn'], diff);
  expect(snapshot(folder)).toEqual(snapshot(place.workspace));
  git(folder, ['apply', '--whitespace=nowarn', '-R'], diff);
  expect(snapshot(folder)).toEqual(start);
}

describe('renames of changed files', () => {
  it('are found from half of the content on, and shown in the form of git', async () => {
    await using place = await newPlace();
    write(place, { 'old.ts': lines(0, 10), 'less.ts': lines(100, 110) });
    const { files, diff } = await changed(place, () => {
      renameSync(join(place.workspace, 'old.ts'), join(place.workspace, 'new.ts'));
      rmSync(join(place.workspace, 'less.ts'));
      write(place, { 'new.ts': `first\n${lines(0, 10)}`, 'more.ts': lines(106, 120) });
    });
    expect(files).toEqual([
      { path: 'less.ts', change: 'deleted', added: 0, removed: 10, restorable: true },
      { path: 'more.ts', change: 'added', mode: '100644', added: 14, removed: 0, restorable: true },
      { path: 'new.ts', change: 'renamed', from: 'old.ts', added: 1, removed: 0, restorable: true },
    ]);
    expect(diff).toContain(
      'diff --git a/old.ts b/new.ts\nsimilarity index 92%\nrename from old.ts\nrename to new.ts\nindex ',
    );
    expect(diff).toContain('\n--- a/old.ts\n+++ b/new.ts\n@@ -1,3 +1,4 @@\n+first\n line 0\n');
  });

  it('prefer equal contents, then the most similar one, then the same name', async () => {
    await using place = await newPlace();
    const text = lines(0, 100);
    write(place, { 'a/equal': text, 'a/near': `${text}near\n`, 'a/far': `${text}${lines(0, 20, 'far')}` });
    write(place, { 'a/one': `${text}x1\n`, 'a/two': `${text}x2\n` });
    const { files } = await changed(place, () => {
      rmSync(join(place.workspace, 'a'), { recursive: true });
      write(place, {
        'b/moved': text,
        'b/near': `${text}near\n\n`,
        'b/two': `${text}y1\n`,
        'b/one': `${text}y2\n`,
      });
    });
    const renamed = files.filter(({ change }) => change === 'renamed').map(({ from, path }) => [from, path]);
    expect(renamed).toEqual([
      ['a/equal', 'b/moved'],
      ['a/near', 'b/near'],
      ['a/one', 'b/one'],
      ['a/two', 'b/two'],
    ]);
    expect(files.filter(({ change }) => change === 'deleted').map(({ path }) => path)).toEqual(['a/far']);
  });

  it('can be applied with git, even for binary files and together with a new mode', async () => {
    await using place = await newPlace();
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * index) % 251));
    write(place, { 'pic.bin': bytes, 'with space.txt': lines(0, 50), same: 'x\ny\nz\n' });
    const result = await changed(place, () => {
      rmSync(join(place.workspace, 'pic.bin'));
      rmSync(join(place.workspace, 'with space.txt'));
      rmSync(join(place.workspace, 'same'));
      write(place, {
        'deep/pic.bin': Buffer.concat([bytes, Buffer.from([0, 1, 2])]),
        'deep/tab\t.txt': lines(0, 48),
        // All lines, in another order.
        order: 'z\nx\ny\n',
      });
    });
    expect(result.files.map(({ change }) => change)).toEqual(['renamed', 'renamed', 'renamed']);
    expect(result.diff).not.toContain('similarity index 100%');
    await expectApplies(place, result);
  });

  it('are those of git, with the same similarity', async () => {
    const numbers = fc.array(fc.nat(30), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(numbers, numbers, fc.constantFrom('\n', '\r\n'), async (old, now, end) => {
        await using place = await newPlace();
        const text = (values: readonly number[], stop: string) =>
          values.map((value) => `the text of line ${value} ${'.'.repeat(value * 5)}${stop}`).join('');
        write(place, { before: text(old, '\n') });
        const result = await changed(place, () => {
          rmSync(join(place.workspace, 'before'));
          write(place, { after: text(now, end) });
        });
        const shown = (diff: string) => /^similarity index .*$/m.exec(diff)?.[0] ?? 'no rename';
        const [a, b] = [join(place.path, 'a'), join(place.path, 'b')];
        await result.trees.materialise(result.before, a);
        renameSync(place.workspace, b);
        const args = ['-c', 'core.autocrlf=false', 'diff', '--no-index', '-M', 'a', 'b'];
        const theirs = spawnSync('git', args, { cwd: place.path, encoding: 'utf8' }).stdout;
        expect(shown(result.diff)).toBe(shown(theirs));
      }),
      { numRuns: 15 },
    );
  });

  it('are not looked for among more than 1,000 files', async () => {
    await using place = await newPlace();
    const names = Array.from({ length: 1_001 }, (_, index) => `${index}`);
    write(place, Object.fromEntries(names.map((name) => [`a/${name}`, `${name}\n${lines(0, 3)}`])));
    const { files } = await changed(place, () => {
      rmSync(join(place.workspace, 'a'), { recursive: true });
      write(place, Object.fromEntries(names.map((name) => [`b/${name}`, `${name}\n${lines(0, 3)}end\n`])));
    });
    expect(files.some(({ change }) => change === 'renamed')).toBe(false);
  });
});

describe('the index of contents', () => {
  it('stops when the comparisons are used up', () => {
    const index = new ContentIndex();
    const fingerprint = fingerprintOf(Buffer.from(lines(0, 10)));
    for (let owner = 0; owner < 10; owner += 1) index.add(owner, fingerprint);
    const budget = { left: 150 };
    expect(index.commonBytes(fingerprint, budget)?.get(3)).toBe(70);
    expect(index.commonBytes(fingerprint, budget)).toBeUndefined();
  });

  it('counts equal lines as often as both contents have them', () => {
    const index = new ContentIndex();
    index.add(0, fingerprintOf(Buffer.from('a\na\na\nb\n')));
    const common = (text: string) =>
      index.commonBytes(fingerprintOf(Buffer.from(text)), { left: 100 })?.get(0);
    expect(common('a\na\n')).toBe(4);
    expect(common('a\na\na\na\nb\n')).toBe(8);
    expect(common('a\r\nb\r\n')).toBe(4);
    expect(common('x'.repeat(1000))).toBeUndefined();
  });
});
