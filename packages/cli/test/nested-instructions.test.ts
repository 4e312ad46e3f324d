import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalSandbox } from './local-sandbox.ts';

const TOOLS = createTools();

/** A session in a folder, and what its requests contained. */
async function openSession(files: Record<string, string>, answers: Parameters<typeof playedDriver>[0]) {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-nested-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const driver = playedDriver(answers);
  const { requests } = driver;
  const test = await testRun(driver, TOOLS, { openSandbox: () => openLocalSandbox(root) });
  const notes = async () =>
    (await test.messages())
      .filter(({ metadata }) => metadata?.synthetic === 'environment')
      .map(({ metadata }) => Object.keys(metadata?.['facts'] ?? {}));
  return { ...test, root, write, requests, notes };
}

const read = (path: string, callId = path) => calls({ callId, name: 'read', input: { path } });
const FILES = {
  'AGENTS.md': 'the root',
  'a/AGENTS.md': 'for a @more.md',
  'a/more.md': 'more for a',
  'a/b/CLAUDE.md': 'for b',
  'a/b/code.ts': '1',
  'other/AGENTS.md': 'for other',
};

it('reads the instruction files of a folder when a tool works there, outer ones first, once', async () => {
  const test = await openSession(FILES, [
    read('a/b/code.ts'),
    read('a/b/code.ts', '2'),
    answer('Done.'),
    answer('Again.'),
  ]);
  await test.run('one');
  expect(await test.notes()).toEqual([['file a/AGENTS.md', 'file a/more.md', 'file a/b/CLAUDE.md']]);
  await test.run('two');
  expect(await test.notes()).toHaveLength(1);
  const systems = new Set(test.requests.map(({ system }) => system));
  expect([...systems]).toEqual([expect.not.stringContaining('for a')]);
});

it('reads them again at a compaction, and not before: then they are in the system text', async () => {
  const long = answer('Done. '.repeat(40));
  const test = await openSession(FILES, [read('a/b/code.ts'), ...Array.from({ length: 6 }, () => long)]);
  for (const task of ['one', 'two', 'three', 'four']) await test.run(task);
  const before = test.requests.at(-1)?.system;
  await test.write('a/AGENTS.md', 'new for a');
  expect(await test.runtime.compact(test.sessionId, {})).toMatchObject({ status: 'compacted' });
  await test.run('five');
  const last = JSON.stringify(test.requests.at(-1));
  expect(before).not.toContain('for a');
  expect(last).toContain('new for a');
});

it('reads no instruction file that is a link out of the workspace', async () => {
  const test = await openSession({ 'a/x.ts': '1' }, [read('a/x.ts'), answer('Done.')]);
  const secret = await mkdtemp(join(tmpdir(), 'longhaul-secret-'));
  onTestFinished(() => rm(secret, { recursive: true }));
  await writeFile(join(secret, 'AGENTS.md'), 'secret text');
  await symlink(join(secret, 'AGENTS.md'), join(test.root, 'a/AGENTS.md'));
  expect(await test.run('one')).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(await test.messages())).not.toContain('secret text');
});
