import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RuleFile } from './rule-file.ts';

const RULE = { tool: 'bash', command: 'npm test', action: 'allow' } as const;

let home: string;
let file: RuleFile;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-rules-'));
  file = new RuleFile({ env: {}, home });
  await mkdir(dirname(file.path), { recursive: true });
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const text = () => readFile(file.path, 'utf8');

it('creates the file, and removes what it added', async () => {
  await file.add([RULE]);
  expect(await text()).toBe('approvals:\n  - { tool: bash, command: npm test, action: allow }\n');
  expect(await file.remove({ ...RULE, command: 'npm run x' })).toBe(false);
  expect(await file.remove(RULE)).toBe(true);
  expect(await text()).toBe('approvals: []\n');
});

it('keeps comments, order and quotes', async () => {
  const before = `# Mine
model: "ollama/qwen3:8b" # fast

approvals:
  # Everything asks.
  - { tool: "*", action: ask }
  - tool: bash # not this one
    command: "git push *"
    action: deny
sandbox: { driver: local }
`;
  await writeFile(file.path, before);
  await file.add([RULE]);
  expect(await text()).toBe(
    before.replace('sandbox:', '  - { tool: bash, command: npm test, action: allow }\nsandbox:'),
  );
  await file.remove(RULE);
  expect(await text()).toBe(before);
});

it('replaces the target of a link', async () => {
  const target = join(home, 'dotfiles.yml');
  await writeFile(target, 'sandbox: { driver: local }\n', { mode: 0o644 });
  await symlink(target, file.path);
  await file.add([RULE]);
  expect((await lstat(file.path)).isSymbolicLink()).toBe(true);
  expect(await readFile(target, 'utf8')).toContain('npm test');
});

it.each([
  ['a file with a mistake', 'modell: x\n', RULE],
  ['a rule with a wrong glob', '', { tool: 'read', path: '!(a)', action: 'allow' } as const],
])('refuses %s, and leaves it as it was', async (_, before, rule) => {
  await writeFile(file.path, before);
  await expect(file.add([rule])).rejects.toMatchObject({ code: 'config_invalid' });
  expect(await text()).toBe(before);
});
