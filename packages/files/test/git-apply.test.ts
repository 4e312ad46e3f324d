import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFileTrees } from '../src/index.ts';
import { asGitSees } from './as-git-sees.ts';
import { apply, edits } from './random-edits.ts';
import { bytesOf, KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

function treesOf(place: Place) {
  return createFileTrees({
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings: SETTINGS,
  });
}

async function diffText(place: Place, before: string, after: string): Promise<string> {
  let text = '';
  for await (const piece of treesOf(place).diff(before, after)) text += piece;
  return text;
}

/** Applies a diff with git, in a folder that is not a repository. */
function gitApply(folder: string, patch: string, ...options: string[]): void {
  if (patch === '') return;
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..'), GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', ['apply', '--whitespace=nowarn', ...options], {
    cwd: folder,
    input: patch,
    env,
    stdio: 'pipe',
  });
}

function removeEmptyFolders(folder: string): void {
  for (const name of readdirSync(bytesOf(folder), 'latin1')) {
    const path = `${folder}/${name}`;
    try {
      removeEmptyFolders(path);
      rmdirSync(bytesOf(path));
    } catch {
      // A file, or a folder with files.
    }
  }
}

it('writes diffs that git apply turns into the second tree, and back with -R', async () => {
  await fc.assert(
    fc.asyncProperty(edits, edits, async (first, second) => {
      // Git refuses to go back from a link to itself to a folder of the same name: it looks for files through the link.
      fc.pre(
        [...first, ...second].every((edit) => edit.kind !== 'link' || edit.target !== basename(edit.path)),
      );
      await using place = await newPlace();
      const recorder = await place.open();
      for (const edit of first) apply(place.workspace, edit);
      const before = await recorder.record();
      for (const edit of second) apply(place.workspace, edit);
      const after = await recorder.record();
      if (before === undefined || after === undefined) return;
      const patch = await diffText(place, before.after, after.after);
      const folder = join(place.path, 'applied');
      mkdirSync(folder);
      await treesOf(place).materialise(before.after, folder);
      const start = asGitSees(snapshot(folder));
      removeEmptyFolders(folder);
      gitApply(folder, patch);
      expect(asGitSees(snapshot(folder))).toEqual(asGitSees(snapshot(place.workspace)));
      gitApply(folder, patch, '-R');
      expect(asGitSees(snapshot(folder))).toEqual(start);
    }),
    { numRuns: 25 },
  );
});

it('joins and separates hunks as git does, at the ends of a file and between them', async () => {
  const line = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.tuple(fc.nat(60), fc.constantFrom('cut', 'add', 'set'), fc.boolean()), { maxLength: 8 }),
      async (count, changes) => {
        await using place = await newPlace();
        const recorder = await place.open();
        const file = join(place.workspace, 'file');
        const lines = line(count);
        writeFileSync(file, lines.join(''));
        const before = await recorder.record();
        for (const [at, kind, isOpen] of changes) {
          const text = isOpen ? [`changed ${at}\n`, 'more\n'] : [`changed ${at}\n`];
          lines.splice(at, kind === 'add' ? 0 : 1, ...(kind === 'cut' ? [] : text));
        }
        const last = changes.at(-1)?.[2] === true ? 'no end' : '';
        writeFileSync(file, lines.join('') + last);
        const after = await recorder.record();
        if (before === undefined || after === undefined) return;
        const folder = join(place.path, 'applied');
        await treesOf(place).materialise(before.after, folder);
        gitApply(folder, await diffText(place, before.after, after.after));
        expect(snapshot(folder)).toEqual(snapshot(place.workspace));
      },
    ),
    { numRuns: 25 },
  );
});

it('shows modes, renames, new and deleted files in the form of git', async () => {
  await using place = await newPlace();
  const recorder = await place.open();
  const at = (name: string) => join(place.workspace, name);
  writeFileSync(at('kept'), 'one\ntwo\nthree\n');
  writeFileSync(at('old name'), 'moved\n');
  writeFileSync(at('gone'), 'gone');
  const before = await recorder.record();
  writeFileSync(at('kept'), 'one\n2\nthree\n');
  chmodSync(at('kept'), 0o755);
  apply(place.workspace, { kind: 'rename', path: 'old name', to: 'new\tname' });
  apply(place.workspace, { kind: 'delete', path: 'gone' });
  writeFileSync(at('.env'), 'KEY=value');
  const after = await recorder.record();
  expect(await diffText(place, before?.after ?? '', after?.after ?? '')).toBe(
    [
      '# .env: changed; its content is a secret, so it is not in this diff',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      'index bc99ab0395bd95dcc9bd3ba97c0342049586208d..0000000000000000000000000000000000000000',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
      '\\ No newline at end of file',
      'diff --git a/kept b/kept',
      'old mode 100644',
      'new mode 100755',
      'index 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402..f04eb265ebd74fba2cddf0a6adf2a6a7f81c87aa',
      '--- a/kept',
      '+++ b/kept',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-two',
      '+2',
      ' three',
      'diff --git a/old name "b/new\\tname"',
      'similarity index 100%',
      'rename from old name',
      'rename to "new\\tname"',
      '',
    ].join('\n'),
  );
  expect(after?.files).toEqual([
    { path: '.env', change: 'added', restorable: false },
    { path: 'gone', change: 'deleted', added: 0, removed: 1, restorable: true },
    { path: 'kept', change: 'modified', mode: '100755', added: 1, removed: 1, restorable: true },
    { path: 'new\tname', change: 'renamed', from: 'old name', added: 0, removed: 0, restorable: true },
  ]);
});

it('shows no link as renamed, because git apply then refuses what takes its place', async () => {
  await using place = await newPlace();
  const recorder = await place.open();
  const at = (name: string) => join(place.workspace, name);
  const states: string[] = [];
  const record = async () => states.push((await recorder.record())?.after ?? '');
  symlinkSync('target', at('name'));
  await record();
  rmSync(at('name'));
  mkdirSync(at('name'));
  symlinkSync('target', at('name/inside'));
  await record();
  symlinkSync('target', at('moved'));
  rmSync(at('name/inside'));
  writeFileSync(at('name/file'), 'text');
  await record();
  for (const [index, [from = 0, to = 0]] of [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 0],
    [1, 2],
  ].entries()) {
    const folder = join(place.path, `applied${index}`);
    await treesOf(place).materialise(states[from] ?? '', folder);
    const start = snapshot(folder);
    const patch = await diffText(place, states[from] ?? '', states[to] ?? '');
    expect(patch).not.toContain('rename');
    gitApply(folder, patch);
    expect(snapshot(folder)).not.toEqual(start);
    gitApply(folder, patch, '-R');
    expect(snapshot(folder)).toEqual(start);
  }
});
