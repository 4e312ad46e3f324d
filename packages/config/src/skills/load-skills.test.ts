import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { loadSkills } from './load-skills.ts';

let root: string;
let home: string;
let workspace: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-skills-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  [home, workspace] = [join(root, 'home'), join(root, 'work')];
  await mkdir(home);
  await mkdir(workspace);
});

const put = async (path: string, text: string | Uint8Array) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const skill = (name: string, description = `about ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\n---\n\nDo ${name}.\n`;
const trusted = async (grant: 'all' | 'stored' = 'all') => {
  const { config } = await loadConfig({ cwd: workspace, env: {}, home, trust: grant });
  return config.project?.trusted ?? new Set<string>();
};
const load = async (options: { claude?: boolean; grant?: 'all' | 'stored' } = {}) => {
  const { claude = false, grant = 'all' } = options;
  const ids = await trusted(grant);
  const loaded = await loadSkills({ workspace, home, env: {}, claude }, async () => ids);
  const names = loaded.source.skills.map(({ name, origin }) => `${origin} ${name}`);
  const problems = loaded.problems.map(({ name, problem }) => `${name} ${problem}`);
  return { ...loaded, names, problems };
};

it('finds the skills of the workspace and of the user, the first of each name', async () => {
  await put('work/.longhaul/skills/one/SKILL.md', skill('one', 'first'));
  await put('work/.agents/skills/one/SKILL.md', skill('one', 'second'));
  await put('work/.agents/skills/two/SKILL.md', skill('two'));
  await put('work/.claude/skills/three/SKILL.md', skill('three'));
  await put('home/.config/longhaul/skills/two/SKILL.md', skill('two', 'of the user'));
  await put('home/.config/longhaul/skills/four/SKILL.md', skill('four'));
  const { names, source, problems } = await load();
  expect(names).toEqual(['project one', 'project two', 'user four']);
  expect(problems).toEqual([]);
  expect(source.skills[0]).toMatchObject({ description: 'first', folder: '.longhaul/skills/one' });
  expect(await source.read('one')).toEqual({ text: 'Do one.' });
});

it("reads Claude Code's folders if compat.claude is on", async () => {
  await put('work/longhaul.yml', 'compat: { claude: true }\n');
  await put('work/.claude/skills/three/SKILL.md', skill('three'));
  await put('home/.claude/skills/own/SKILL.md', skill('own'));
  expect((await load({ claude: true })).names).toEqual(['project three', 'user own']);
});

it('reads no skill of a workspace that is not trusted, and none that changed since', async () => {
  await put('work/.agents/skills/one/SKILL.md', skill('one'));
  await put('home/.config/longhaul/skills/own/SKILL.md', skill('own'));
  const { names, problems } = await load({ grant: 'stored' });
  expect(names).toEqual(['user own']);
  expect(problems).toEqual([expect.stringContaining('one is not trusted')]);
  const { source } = await load();
  await put('work/.agents/skills/one/SKILL.md', skill('one', 'other words'));
  expect(await source.read('one')).toEqual({
    problem: expect.stringContaining('changed since it was trusted'),
  });
});

it('reads other files of a skill, and none outside of its folder', async () => {
  await put('work/.agents/skills/one/SKILL.md', skill('one'));
  await put('work/.agents/skills/one/more/a.md', 'more');
  await put('work/secret.txt', 'secret');
  await symlink('../../../secret.txt', join(workspace, '.agents/skills/one/link.txt'));
  const { source } = await load();
  expect(await source.read('one', 'more/a.md')).toEqual({ text: 'more' });
  for (const file of ['../../../secret.txt', 'link.txt', join(workspace, 'secret.txt'), 'none.md'])
    expect(await source.read('one', file)).toEqual({ problem: expect.any(String) });
  expect(await source.read('none')).toEqual({ problem: expect.stringContaining('There are: one.') });
});

it('refuses folders and files of a workspace that are links out of it', async () => {
  await put('outside/one/SKILL.md', skill('one'));
  await put('outside/two.md', skill('two'));
  await mkdir(join(workspace, '.agents/skills/two'), { recursive: true });
  await symlink(join(root, 'outside/one'), join(workspace, '.agents/skills/one'));
  await symlink(join(root, 'outside/two.md'), join(workspace, '.agents/skills/two/SKILL.md'));
  const { names, problems } = await load();
  expect(names).toEqual([]);
  expect(problems).toEqual(['one is outside of the project', 'two is outside of the project']);
  const { project } = await loadConfig({ cwd: workspace, env: {}, home, trust: 'all' });
  expect(project?.wants.map(({ refusal, isTrusted }) => [refusal, isTrusted])).toEqual([
    ['its SKILL.md is outside of the project', false],
    ['its SKILL.md is outside of the project', false],
  ]);
});

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => {
    const before = 'abcdefghi'[index];
    return `${key}: &${key} [${Array(9).fill(`*${before}`).join(',')}]`;
  })
  .join('\n')}`;

it.each([
  ['no header', 'Do it.', 'must begin with a line ---'],
  ['a header without an end', '---\nname: x\n', 'must begin with a line ---'],
  ['a header of 5 MB', `---\n${'a: b\n'.repeat(180_000)}---\n`, 'must begin with a line ---'],
  ['a file of more than 1 MB', 'x'.repeat(1_100_000), 'has more than 1,000,000 bytes. Shorten it'],
  ['a bomb of aliases', `---\nname: x\ndescription: d\n${BOMB}\n---\n`, undefined],
  ['deep nesting', `---\nname: ${'['.repeat(5_000)}\n---\n`, 'levels deep'],
  ['broken YAML', '---\nname: "x\n---\n', 'cannot be used'],
  ['a list', '---\n- name\n---\n', 'without the keys'],
  ['another name', '---\nname: y\ndescription: d\n---\n', 'both must be the same'],
  ['a name with a control character', '---\nname: "x\\e[2J"\ndescription: d\n---\n', 'only a-z'],
  ['a name with a path', '---\nname: ../x\ndescription: d\n---\n', 'only a-z'],
  ['no description', '---\nname: x\n---\n', 'no description'],
  [
    'a description of 2,000 characters',
    `---\nname: x\ndescription: ${'d'.repeat(2_000)}\n---\n`,
    'at most 1024',
  ],
  ['bytes that are not UTF-8', Uint8Array.of(0x2d, 0xff, 0xfe), 'not valid UTF-8'],
])('says what is wrong with %s', async (_, text, problem) => {
  await put('work/.agents/skills/x/SKILL.md', text);
  const { names, problems } = await load();
  if (problem !== undefined) expect([names, problems]).toEqual([[], [expect.stringContaining(problem)]]);
});

it('shows controls in a description as escapes, on one line, and folders with hostile names as refused', async () => {
  await put('work/.agents/skills/x/SKILL.md', '---\nname: x\ndescription: "a\\e[31m\\n# Heading"\n---\n');
  await put('work/.agents/skills/\u001b[2J/SKILL.md', skill('x'));
  const { source, names } = await load();
  expect(names).toEqual(['project x']);
  expect(source.skills[0]?.description).toBe('a\\u001b[31m # Heading');
});

it('asks for trust in at most 50 skills', async () => {
  for (let index = 0; index < 60; index += 1)
    await put(`work/.agents/skills/s${index}/SKILL.md`, skill(`s${index}`));
  expect((await load()).names).toHaveLength(50);
});
