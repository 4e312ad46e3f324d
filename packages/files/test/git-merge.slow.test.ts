import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asGitSees } from './as-git-sees.ts';
import { newMergePlace } from './merge-support.ts';
import { snapshot } from './support.ts';

it('merges what git merges, and into the same files', async () => {
  await fc.assert(
    fc.asyncProperty(edits, edits, async (own, other) => {
      await using done = await newMergePlace();
      const base = await done.state(writeBase);
      const states = {
        ours: await done.state((folder) => own.forEach((edit) => void apply(folder, edit, 'ours')), base),
        theirs: await done.state(
          (folder) => other.forEach((edit) => void apply(folder, edit, 'theirs')),
          base,
        ),
      };
      const repository = new Repository(join(done.place.path, 'repository'));
      const write = async (tree: string, folder: string) => void (await done.trees.materialise(tree, folder));
      const first = await repository.commit((folder) => write(base, folder));
      const commits = {
        ours: await repository.commit((folder) => write(states.ours, folder), first),
        theirs: await repository.commit((folder) => write(states.theirs, folder), first),
      };
      const expected = repository.merge(commits);
      const { tree, conflicts } = await done.merge(base, states);
      if (expected === undefined) expect(conflicts).not.toEqual([]);
      else {
        expect(conflicts).toEqual([]);
        expect(asGitSees(await done.filesOf(tree ?? ''))).toEqual(expected);
      }
    }),
    { numRuns: 12 },
  );
});

const FILES = ['a', 'b', 'dir/c', 'dir/d'];

type Edit =
  | { kind: 'line'; path: string; at: number; isShared: boolean }
  | { kind: 'add'; path: string; isShared: boolean }
  | { kind: 'move'; path: string; to: string }
  | { kind: 'delete' | 'executable' | 'folder'; path: string };

const path = fc.constantFrom(...FILES);
const other = fc.constantFrom('e', 'dir/e', 'new/deep/f');
const edits: fc.Arbitrary<Edit[]> = fc.uniqueArray(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('line' as const),
        path,
        at: fc.nat(11),
        isShared: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('add' as const), path: other, isShared: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: other }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('delete' as const, 'executable' as const, 'folder' as const),
        path,
      }),
    },
  ),
  { maxLength: 3, selector: ({ path }) => path },
);

/** Each file has lines that no other has, so that a rename is certain. */
function writeBase(folder: string): void {
  mkdirSync(join(folder, 'dir'));
  for (const file of FILES)
    writeFileSync(
      join(folder, file),
      Array.from({ length: 12 }, (_, index) => `${file} line ${index}\n`).join(''),
    );
}

function apply(folder: string, edit: Edit, side: string): void {
  const full = join(folder, edit.path);
  if (edit.kind === 'add') {
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, `${edit.isShared ? 'shared' : side} ${edit.path}\n`);
  } else if (edit.kind === 'line') {
    const lines = readFileSync(full, 'utf8').split('\n');
    lines[edit.at] = `${edit.isShared ? 'shared' : side} change`;
    writeFileSync(full, lines.join('\n'));
  } else if (edit.kind === 'move') {
    mkdirSync(dirname(join(folder, edit.to)), { recursive: true });
    if (!existsSync(join(folder, edit.to))) renameSync(full, join(folder, edit.to));
  } else if (edit.kind === 'executable') {
    chmodSync(full, 0o755);
  } else {
    rmSync(full);
    if (edit.kind === 'delete') return;
    mkdirSync(full);
    writeFileSync(join(full, 'inside'), `${side} inside\n`);
  }
}

/** A repository of git that merges without a working tree. */
class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder);
    this.#git('init', '-q');
  }

  /** Commits what `write` puts into a new folder. */
  async commit(write: (folder: string) => Promise<void>, parent?: string): Promise<string> {
    const files = `${this.#folder}-files`;
    await write(files);
    this.#git(`--work-tree=${files}`, 'add', '-A', '-f', '.');
    rmSync(files, { recursive: true });
    const parents = parent === undefined ? [] : ['-p', parent];
    return this.#git('commit-tree', '-m', 'files', ...parents, this.#git('write-tree'));
  }

  /** Returns the merged files, or undefined for a conflict. */
  merge({ ours, theirs }: { ours: string; theirs: string }): Record<string, string> | undefined {
    try {
      this.#git('read-tree', this.#git('merge-tree', '--write-tree', ours, theirs));
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 1) return undefined;
      throw error;
    }
    const target = `${this.#folder}-merged`;
    mkdirSync(target);
    this.#git(`--work-tree=${target}`, 'checkout-index', '-a');
    return asGitSees(snapshot(target));
  }

  #git(...args: string[]): string {
    const options = [
      '-C',
      this.#folder,
      `--git-dir=${this.#folder}/.git`,
      '-c',
      'merge.directoryRenames=false',
    ];
    const settings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    const names = Object.fromEntries(
      ['GIT_AUTHOR', 'GIT_COMMITTER'].flatMap((who) => [
        [`${who}_NAME`, 'test'],
        [`${who}_EMAIL`, 'test@localhost'],
      ]),
    );
    const env = { ...process.env, ...settings, ...names };
    return execFileSync('git', [...options, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }
}
