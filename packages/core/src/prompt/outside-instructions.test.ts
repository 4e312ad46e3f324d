import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOutsideInstructions } from './outside-instructions.ts';

let home: string;
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
};
const read = async (workspace: string) =>
  (
    await readOutsideInstructions({
      workspace: join(home, workspace),
      home,
      userFolder: join(home, '.config/longhaul'),
    })
  ).map(({ path, text, origin }) => [path, text, origin]);

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-outside-')));
  await put('AGENTS.md', 'home');
  await put('dotfiles/agents.md', 'mine @more.md');
  await put('dotfiles/more.md', 'and more');
  await mkdir(join(home, '.config/longhaul'), { recursive: true });
  await symlink('../../dotfiles/agents.md', join(home, '.config/longhaul/AGENTS.md'));
  await put('secret.md', 'secret');
  await put('repo/.git/HEAD', '');
  await put('repo/AGENTS.md', 'root');
  await put('repo/a/b/x', '');
  await put('repo/a/CLAUDE.md', 'middle');
  await put('repo/linked/b/x', '');
  await symlink('../../secret.md', join(home, 'repo/linked/AGENTS.md'));
  await put('plain/a/x', '');
  await put('plain/AGENTS.md', 'no repository');
});
afterAll(() => rm(home, { recursive: true }));

const USERS = [
  ['~/.config/longhaul/AGENTS.md', 'mine @more.md', 'user'],
  ['~/.config/longhaul/more.md', 'and more', 'user'],
];

it("reads the user's file, also behind a link, and those above the workspace up to the repository's root", async () => {
  expect(await read('repo/a/b')).toEqual([
    ...USERS,
    ['../../AGENTS.md', 'root', 'above'],
    ['../CLAUDE.md', 'middle', 'above'],
  ]);
});

it.each(['repo', 'plain/a'])('reads nothing above %s: a root, or outside a repository', async (workspace) => {
  expect(await read(workspace)).toEqual(USERS);
});

it('reads no file to which a link of the repository leads', async () => {
  expect(await read('repo/linked/b')).toEqual([...USERS, ['../../AGENTS.md', 'root', 'above']]);
});
