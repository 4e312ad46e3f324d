import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { expect, it, onTestFinished } from 'vitest';
import { SlashCommands } from '../src/chat/slash/all-commands.ts';
import type { SlashContext } from '../src/chat/slash/slash-command.ts';
import { Bench } from './harness.ts';

async function openServer() {
  const bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const put = async (folder: string, name: string) => {
    await mkdir(join(folder, name), { recursive: true });
    const text = `---\nname: ${name}\ndescription: "About ${name}\\e[2J."\n---\n\nDo it.\n`;
    await writeFile(join(folder, name, 'SKILL.md'), text);
  };
  await put(join(bench.workspace, '.agents/skills'), 'release');
  await put(join(bench.home, '.config/longhaul/skills'), 'review');
  await writeFile(bench.userFile, 'sandbox: { driver: local }\n');
  const running = bench.start(['serve', '--port', '0', '--json']);
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  const client = createClient({
    baseUrl: url,
    token: await readFile(tokenFile, 'utf8'),
    schemas: () => import('@longhaul/protocol/api'),
  });
  /** Types `/skills` in a chat with the server. */
  const typed = async () => {
    let printed = '';
    const context = {
      client,
      conversation: { workspace: '' },
      print: (text: string) => {
        printed += text;
      },
    };
    await new SlashCommands().run('/skills', context as unknown as SlashContext);
    return printed;
  };
  return { bench, client, typed };
}

it('lists the skills of a workspace once it is trusted, over the API and with /skills', async () => {
  const { bench, client, typed } = await openServer();
  const mine = { name: 'review', origin: 'user', description: 'About review\\u001b[2J.' };
  expect(await client.skills.list()).toMatchObject({
    skills: [mine],
    problems: [{ name: 'release', problem: expect.stringContaining('is not trusted') }],
  });
  expect(await typed()).toMatch(
    /^ {2}review \(user\): About review.*\n {2}release cannot be used: is not trusted.*: longhaul trust \(.*release\)\n$/,
  );
  await bench.call(['trust', '--yes']);
  expect(await client.skills.list()).toMatchObject({
    skills: [{ name: 'release', origin: 'project', folder: '.agents/skills/release' }, mine],
    problems: [],
  });
  expect(await typed()).toContain('  release (project): About release');
});

it('refuses to list the skills of a folder that is not allowed', async () => {
  const { client } = await openServer();
  await expect(client.skills.list({ workspace: '/' })).rejects.toMatchObject({
    code: 'workspace_not_allowed',
  });
});
