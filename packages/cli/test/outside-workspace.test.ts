import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment, type ToolContext } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { chooseSandbox } from '@longhaul/sandbox';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';

/** Opens a local sandbox with a folder beside its workspace, in which `own` belongs to Longhaul. */
async function openBoth(ripgrep?: string | null) {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-outside-')));
  onTestFinished(() => rm(parent, { recursive: true }));
  const [workspace, outside] = [join(parent, 'work'), join(parent, 'beside')];
  for (const folder of [workspace, join(outside, 'own'), join(outside, 'deep')])
    await mkdir(folder, { recursive: true });
  await writeFile(join(outside, 'own', 'longhaul.yml'), 'needle: the key\n');
  await writeFile(join(outside, 'a.conf'), 'needle one\nother\n');
  await writeFile(join(outside, 'deep', 'b.conf'), 'needle two\n');
  await writeFile(join(outside, 'deep', 'c.txt'), 'needle three\n');
  const sandbox = await chooseSandbox('local', {
    ...{ sessionId: 's', workspace, network: 'off', memoryMb: 512, pids: 64, cpus: 1, image: '', env: {} },
    ...{ programFolders: [], refusedPaths: [join(outside, 'own')] },
  });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const context: ToolContext = {
    ...{ sessionId: 's', callId: 'c', handle: 'm1.0', sandbox, blobs: createMemoryBlobStore() },
    history: { search: async () => [], fullText: async () => undefined },
    todoList: async () => undefined,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  const tools = createTools(ripgrep === undefined ? {} : { ripgrep });
  const call = async (name: string, input: JsonValue): Promise<string> => {
    const tool = tools.find((each) => each.name === name);
    const parsed = tool?.parse(input);
    if (tool === undefined || !parsed?.ok) throw new Error(parsed?.ok === false ? parsed.reason : name);
    const { content } = await tool.execute(parsed.input, context);
    return content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
  };
  return { workspace, outside, sandbox, call };
}

it('reads, writes, edits, patches and lists outside a local workspace', async () => {
  const { outside, call } = await openBoth();
  const file = join(outside, 'a.conf');
  expect(await call('read', { path: file })).toContain('needle one');
  expect(await call('read', { path: join(outside, 'a.con') })).toContain(`Did you mean ${file}?`);
  expect(await call('edit', { path: file, old: 'other', new: 'changed' })).toContain(file);
  await call('write', { path: join(outside, 'made', 'new.txt'), content: 'made\n' });
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-changed\n+patched\n*** Delete File: ${join(outside, 'made', 'new.txt')}\n*** End Patch`;
  expect(await call('apply_patch', { patch })).toContain('Success');
  expect(await readFile(file, 'utf8')).toBe('needle one\npatched\n');
  expect(await call('list', { path: outside, depth: 2 })).toMatch(
    /a\.conf.*\ndeep\/\n {2}b\.conf.*\n {2}c\.txt/,
  );
  expect(await call('bash', { command: 'pwd', workdir: join(outside, 'deep') })).toContain(
    join(outside, 'deep'),
  );
});

it.each([
  ['ripgrep, or what replaces it', undefined],
  ['plain JavaScript', null],
])('searches outside a local workspace with %s, and not what belongs to Longhaul', async (_name, ripgrep) => {
  const { outside, call } = await openBoth(ripgrep);
  const all = [join(outside, 'a.conf'), join(outside, 'deep', 'b.conf'), join(outside, 'deep', 'c.txt')];
  expect(await call('glob', { pattern: '*.conf', path: outside })).toBe(`${all[0]}\n${all[1]}`);
  expect(await call('glob', { pattern: `${outside}/*.conf` })).toBe(all[0]);
  expect(await call('glob', { pattern: `${outside}/**/*` })).toBe(all.join('\n'));
  const found = await call('grep', { pattern: 'needle', path: outside });
  expect(found).toBe(`${all[0]}\n1:needle one\n\n${all[1]}\n1:needle two\n\n${all[2]}\n1:needle three`);
  expect(await call('grep', { pattern: 'other', path: all[0] ?? '' })).toBe(`${all[0]}\n2:other`);
  expect(await call('grep', { pattern: 'x', path: '/' })).toContain('name a folder below it');
  expect(await call('grep', { pattern: 'key', path: join(outside, 'own') })).toContain('belongs to Longhaul');
});

it('puts no file outside the workspace into the prompt of a local sandbox', async () => {
  const { workspace, outside, sandbox } = await openBoth();
  await symlink(join(outside, 'a.conf'), join(workspace, 'AGENTS.md'));
  await expect(readEnvironment(sandbox, ['AGENTS.md'])).rejects.toMatchObject({
    code: 'path_outside_workspace',
  });
});
