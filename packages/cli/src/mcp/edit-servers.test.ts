import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addServer, removeServer } from './edit-servers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-edit-servers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['an empty section', 'mcp:\n'],
  ['an empty section with comments', 'mcp: # mine\n  # Nothing yet.\nmodel: a/b # fast\n'],
  ['an empty list of servers', 'mcp:\n  servers: # none\n'],
  ['a long line', `# ${'long '.repeat(40)}\nmodel: a/${'b'.repeat(60)} # ${'long '.repeat(20)}\n`],
])('adds a server to %s, and removes it', async (_, before) => {
  const file = join(folder, 'longhaul.yml');
  await writeFile(file, before);
  await addServer(file, { name: 'one', server: { command: 'true' }, env: {} });
  const after = await readFile(file, 'utf8');
  expect(after).toMatch(/mcp:[\s\S]*servers:[\s\S]*one:\s+command: "true"/);
  for (const comment of before.match(/#.*\S/g) ?? []) expect(after).toContain(comment);
  await removeServer(file, 'one');
  expect(await readFile(file, 'utf8')).not.toContain('one:');
});
