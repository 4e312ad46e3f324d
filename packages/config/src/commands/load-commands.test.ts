import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { loadCommands } from './load-commands.ts';

let root: string;
let home: string;
let workspace: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-own-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  [home, workspace] = [join(root, 'home'), join(root, 'work')];
  await mkdir(home);
  await mkdir(workspace);
});

const put = async (path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const loadProject = async (trust: 'all' | 'stored') =>
  (await loadConfig({ cwd: workspace, env: {}, home, trust })).config.project?.trusted ?? new Set<string>();
const load = async ({ claude = false, trust = 'all' as 'all' | 'stored' } = {}) => {
  const ids = await loadProject(trust);
  const { commands, problems } = await loadCommands({ workspace, home, env: {}, claude }, async () => ids);
  const names = commands.map(({ name, origin }) => `${origin} ${name}`);
  return { commands, names, problems: problems.map(({ name, problem }) => `${name} ${problem}`) };
};
const own = async (name: string, text: string) => {
  await put(`home/.config/longhaul/commands/${name}.md`, text);
  return (await load()).commands.find((command) => command.name === name);
};

it('sends the text of the file with the words in place of every $ARGUMENTS', async () => {
  const command = await own('fix', 'Fix $ARGUMENTS. Then test $ARGUMENTS.\n');
  expect(command).toMatchObject({ hint: 'WORDS', description: 'Fix $ARGUMENTS. Then test $ARGUMENTS.' });
  expect(command?.expand('issue $& $1')).toBe('Fix issue $& $1. Then test issue $& $1.');
});

it('takes description and hint from the lines at the beginning, which are not sent', async () => {
  const text =
    '---\r\ndescription: "Reviews a branch"\r\nargument-hint: BRANCH\r\nmodel: x\r\n---\r\nReview $ARGUMENTS';
  const command = await own('review', text);
  expect(command).toMatchObject({ hint: 'BRANCH', description: 'Reviews a branch' });
  expect(command?.expand('main')).toBe('Review main');
});

it('refuses words for a command that has no place for them', async () => {
  const command = await own('plain', 'Say hello.');
  expect(command?.expand('')).toBe('Say hello.');
  expect(() => command?.expand('words')).toThrow('/plain takes no words');
});

it('takes the first of several commands with one name', async () => {
  await put('work/.longhaul/commands/one.md', 'first');
  await put('work/.claude/commands/one.md', 'second');
  await put('work/.claude/commands/two.md', 'two');
  await put('work/longhaul.yml', 'compat: { claude: true }\n');
  await put('home/.config/longhaul/commands/two.md', 'of the user');
  await put('home/.config/longhaul/commands/three.md', 'three');
  const { names, commands } = await load({ claude: true });
  expect(names).toEqual(['project one', 'project two', 'user three']);
  expect(commands[0]?.description).toBe('first');
});

it('offers no command of a workspace that is not trusted, and none that changed since', async () => {
  await put('work/.longhaul/commands/same.md', 'Do the bidding of the repository.');
  await put('home/.config/longhaul/commands/same.md', 'mine');
  await put('work/.longhaul/commands/other.md', 'other');
  const { commands, names, problems } = await load({ trust: 'stored' });
  expect(names).toEqual(['user same']);
  expect(commands[0]?.expand('')).toBe('mine');
  const reason = 'is not trusted, or has changed since it was trusted: longhaul trust';
  expect(problems).toEqual([`other ${reason}`, `same ${reason}`]);
  const ids = await loadProject('all');
  await put('work/.longhaul/commands/other.md', 'other words');
  const place = { workspace, home, env: {}, claude: false };
  const after = await loadCommands(place, async () => ids);
  expect(after.commands.map(({ name }) => name)).toEqual(['same']);
  expect(after.problems).toMatchObject([{ name: 'other', problem: reason }]);
});

it('reads only Markdown files with names that can be typed, and follows no links', async () => {
  await put('secret.md', 'secret');
  for (const name of ['a b.md', '1st.md', '.md', 'note.txt', 'folder.md/x', 'Fix-it_2.md'])
    await put(`work/.longhaul/commands/${name}`, 'x');
  await symlink('../../../secret.md', join(workspace, '.longhaul/commands/linked.md'));
  expect((await load()).names).toEqual(['project Fix-it_2']);
});

it('refuses the commands of a folder that is a link out of the workspace, even with trust', async () => {
  await put('outside/secret.md', 'secret');
  await mkdir(join(workspace, '.longhaul'));
  await symlink(join(root, 'outside'), join(workspace, '.longhaul/commands'));
  const { names, problems } = await load();
  expect([names, problems]).toEqual([[], ['secret is outside of the project']]);
});

it('reports why a file is not a command', async () => {
  await put('work/.longhaul/commands/huge.md', 'x'.repeat(70_000));
  await put('home/.config/longhaul/commands/vast.md', 'x'.repeat(1_100_000));
  const { names, problems } = await load();
  expect(names).toEqual([]);
  expect(problems).toEqual([
    'huge has 70000 bytes; a command can have at most 65536',
    'vast has more than 1,000,000 bytes. Shorten it',
  ]);
});

it('finds no commands where the folder is a file', async () => {
  await put('work/.longhaul/commands', '');
  expect(await load()).toEqual({ commands: [], names: [], problems: [] });
});

it('asks for trust in at most 50 commands', async () => {
  for (let index = 0; index < 60; index += 1) await put(`work/.longhaul/commands/c${index}.md`, 'x');
  expect((await load()).names).toHaveLength(50);
});
