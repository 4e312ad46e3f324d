import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSkills } from '@longhaul/config';
import type { StepRequest } from '@longhaul/core';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { createSkillTool, createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalSandbox } from './local-sandbox.ts';

/** A session with skills of the user, and what its requests contained. */
async function openSession(answers: Parameters<typeof playedDriver>[0]) {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-skill-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write = async (name: string, body: string) => {
    const path = join(root, '.config/longhaul/skills', name, 'SKILL.md');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `---\nname: ${name}\ndescription: about ${name}\n---\n${body}\n`);
  };
  const remove = (name: string) => rm(join(root, '.config/longhaul/skills', name), { recursive: true });
  const driver = playedDriver(answers);
  const { requests } = driver;
  const place = { workspace: root, home: root, env: {}, claude: false };
  const test = await testRun(driver, createTools(), {
    openSandbox: () => openLocalSandbox(root),
    async skillsFor() {
      const { source } = await loadSkills(place, async () => new Set());
      return { source, tool: createSkillTool(source) };
    },
  });
  const notes = async () =>
    (await test.messages()).filter(({ metadata }) => metadata?.synthetic === 'skills');
  return { ...test, write, remove, requests, notes };
}

/** Long enough for a compaction to free room. */
const long = answer('Done. '.repeat(400));
const use = (name: string) => calls({ callId: name, name: 'skill', input: { name } });
const toolNames = ({ tools }: StepRequest) => tools.map(({ name }) => name);

it('shows neither a tool nor a text without skills', async () => {
  const test = await openSession([long]);
  await test.run('one');
  expect(test.requests.flatMap(toolNames)).not.toContain('skill');
  expect(test.requests[0]?.system).not.toContain('Skills');
});

it('lists the skills, and reads one with the tool', async () => {
  const test = await openSession([use('deploy'), long]);
  await test.write('deploy', 'Run the script.');
  await test.run('one');
  expect(test.requests[0]?.system).toContain('- deploy: about deploy');
  expect(toolNames(test.requests[0] as StepRequest)).toContain('skill');
  expect(JSON.stringify(test.requests[1])).toContain('Run the script.');
  expect(await test.notes()).toEqual([]);
});

it('reads the skills in use again after each compaction, as they are on disk, once', async () => {
  const test = await openSession([use('deploy'), use('other'), ...Array.from({ length: 9 }, () => long)]);
  await test.write('deploy', 'The first version.');
  await test.write('other', 'Something else.');
  await test.run('one');
  for (const version of ['second', 'third']) {
    for (const task of ['a', 'b', 'c']) await test.run(task);
    await test.write('deploy', `The ${version} version.`);
    expect(await test.runtime.compact(test.sessionId, {})).toMatchObject({ status: 'compacted' });
    await test.run('more');
    const last = JSON.stringify(test.requests.at(-1));
    expect(last).toContain(`The ${version} version.`);
    expect(last).toContain('Something else.');
    expect(last.match(/The \w+ version\./g)).toHaveLength(1);
  }
  expect(await test.notes()).toHaveLength(2);
});

it('says that a skill in use was deleted', async () => {
  const test = await openSession([use('deploy'), ...Array.from({ length: 6 }, () => long)]);
  await test.write('deploy', 'The first version.');
  await test.write('other', 'Something else.');
  for (const task of ['one', 'a', 'b', 'c']) await test.run(task);
  await test.remove('deploy');
  expect(await test.runtime.compact(test.sessionId, {})).toMatchObject({ status: 'compacted' });
  await test.run('more');
  expect(JSON.stringify(await test.notes())).toContain('There is no skill');
});
