import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../load-config.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-claude-'));
  await put('home/work/.git/HEAD', '');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = async (path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const settings = (command: string, event = 'Stop') =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } });
const load = async ({ trust, cwd = 'home/work' }: { trust?: 'all'; cwd?: string } = {}) => {
  const home = join(root, 'home');
  const { config, project } = await loadConfig({ cwd: join(root, cwd), env: {}, home, trust });
  return { hooks: config.hooks, warnings: config.warnings ?? [], wants: project?.wants ?? [] };
};
const putUser = () => put('home/.config/longhaul/longhaul.yml', 'compat: { claude: true }');

it('reads nothing of Claude Code without compat.claude', async () => {
  await put('home/work/.claude/settings.json', settings('./a'));
  await put('home/.claude/settings.json', settings('./b'));
  expect(await load({ trust: 'all' })).toEqual({ hooks: {}, warnings: [], wants: [] });
});

it('reads the hooks of a project once they are trusted', async () => {
  await putUser();
  await put('home/work/.claude/settings.json', settings('./a'));
  await put('home/work/.claude/settings.local.json', settings('./b'));
  const untrusted = await load();
  expect(untrusted.hooks).toEqual({});
  expect(untrusted.wants).toMatchObject([
    { key: 'hooks.claude-Stop-1', danger: 'code', text: 'on: run.end\ncommand: ./a', isTrusted: false },
    { key: 'hooks.claude-local-Stop-1', danger: 'code', isTrusted: false },
  ]);
  const trusted = { on: 'run.end', command: './a' };
  expect((await load({ trust: 'all' })).hooks).toEqual({
    'claude-Stop-1': trusted,
    'claude-local-Stop-1': { on: 'run.end', command: './b' },
  });
  await put('home/work/longhaul.yml', 'hooks: { claude-local-Stop-1: { on: run.end, command: ./mine } }');
  expect((await load({ trust: 'all' })).hooks).toEqual({
    'claude-Stop-1': trusted,
    'claude-local-Stop-1': { on: 'run.end', command: './mine' },
  });
});

it("runs the user's hooks on the host, and only if the user's own configuration reads them", async () => {
  await put('home/.claude/settings.json', settings('./mine'));
  await put('home/work/longhaul.yml', 'compat: { claude: true }');
  expect((await load({ trust: 'all' })).hooks).toEqual({});
  await putUser();
  expect((await load()).hooks).toEqual({
    'claude-user-Stop-1': { on: 'run.end', command: './mine', onHost: true },
  });
});

it("needs trust for the user's file if the agent can write it, because the workspace is the home folder", async () => {
  await putUser();
  await put('home/.claude/settings.json', settings('./mine'));
  expect((await load({ cwd: 'home' })).hooks).toEqual({});
  // Below the home folder, without a repository, it is not the project's.
  await mkdir(join(root, 'home/plain'));
  expect(Object.keys((await load({ cwd: 'home/plain' })).hooks)).toEqual(['claude-user-Stop-1']);
});

it('warns about files and hooks that it does not use, and loads the rest', async () => {
  await putUser();
  await put('home/other.json', settings('./outside'));
  await mkdir(join(root, 'home/work/.claude'));
  await symlink(join(root, 'home/other.json'), join(root, 'home/work/.claude/settings.json'));
  await put('home/work/.claude/settings.local.json', '{');
  await put('home/.claude/settings.json', settings('./mine', 'Notification'));
  expect(await load({ trust: 'all' })).toEqual({
    hooks: {},
    wants: [],
    warnings: [
      '.claude/settings.json is outside of the project, so its hooks do not run.',
      '.claude/settings.local.json is not JSON, so its hooks do not run.',
      '~/.claude/settings.json: hook 1 of Notification does not run: Longhaul has no such event.',
    ],
  });
});
