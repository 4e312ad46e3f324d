import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, Tool, ToolContext } from '@longhaul/core';
import { createWorkspaceFiles, rememberRoot } from '@longhaul/sandbox';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { lacks } from '@longhaul/testing/machine';
import { createTools } from '@longhaul/tools';
import { expect, it } from 'vitest';

const hasProgram = (name: string) => spawnSync(name, ['--version']).status === 0;

const SECRET = 'PLANTED-OUTSIDE';

/** Replaces the folder `d` by a link that leads out, and back, as fast as it can. */
const SWAP = `
my ($outside, $ready) = @ARGV;
open(my $file, ">", $ready); close($file);
while (1) {
  rename("kept", "d"); rename("d", "kept");
  symlink($outside, "d"); unlink("d");
}`;

/** A workspace whose folder `d` is swapped for a link to a folder outside, with a secret in files of the same names. */
async function openSwapped() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-swap-')));
  const [root, outside] = [join(folder, 'work'), join(folder, 'outside')];
  for (const [path, text] of [
    [join(root, 'kept'), 'inside'],
    [outside, SECRET],
  ] as const) {
    await mkdir(join(path, 'deep'), { recursive: true });
    await writeFile(join(path, 'file.txt'), `${text} text\n`);
    await writeFile(join(path, 'deep/file.txt'), `${text} text\n`);
  }
  await writeFile(join(outside, `only-${SECRET}.txt`), `${SECRET} text\n`);
  const ready = join(folder, 'ready');
  const swapper = spawn('perl', ['-e', SWAP, outside, ready], { cwd: root, stdio: 'ignore' });
  const ended = once(swapper, 'exit');
  await expect.poll(() => existsSync(ready)).toBe(true);
  const unused = () => Promise.reject(new Error('not used here'));
  const files = createWorkspaceFiles(rememberRoot(root), root);
  const sandbox: Sandbox = {
    kind: 'local',
    workspacePath: root,
    description: '',
    exec: unused,
    start: unused,
    files,
    toolFiles: files,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const context: ToolContext = {
    sessionId: 's',
    callId: 'c',
    handle: 'm1.0',
    sandbox,
    blobs: createMemoryBlobStore(),
    history: { search: async () => [], fullText: async () => undefined },
    todoList: async () => undefined,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  return {
    outside,
    async call(tool: Tool, input: Record<string, string | number>): Promise<string> {
      const parsed = tool.parse(input);
      if (!parsed.ok) throw new Error(parsed.reason);
      return JSON.stringify(await tool.execute(parsed.input, context));
    },
    async [Symbol.asyncDispose]() {
      swapper.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

type Calls = readonly [tool: string, input: Record<string, string | number>][];

/** Calls whose results may contain the text of files, or their names. */
const SEARCHES: Calls = [
  ['grep', { pattern: 'text' }],
  ['grep', { pattern: 'text', path: 'd' }],
  ['grep', { pattern: 'text', path: 'd/file.txt', context: 1 }],
  ['glob', { pattern: '**/*.txt' }],
  ['glob', { pattern: '*.txt', path: 'd' }],
];
const READS: Calls = [
  ['read', { path: 'd/file.txt' }],
  ['list', { path: 'd', depth: 3 }],
  ['list', { path: '', depth: 3 }],
];

for (const { name, ripgrep, rounds, calls } of [
  { name: 'ripgrep', ripgrep: 'rg', rounds: 150, calls: SEARCHES },
  { name: 'the plain search', ripgrep: null, rounds: 30, calls: SEARCHES },
  { name: 'the file tools', ripgrep: null, rounds: 2_000, calls: READS },
]) {
  it(`shows nothing from outside while a command swaps a folder for a link, with ${name}`, async ({
    skip,
  }) => {
    if (ripgrep !== null && !hasProgram(ripgrep)) return lacks('ripgrep', 'it is not installed', skip);
    if (!hasProgram('perl')) return skip('perl is not installed');
    await using swapped = await openSwapped();
    const tools = new Map(createTools({ ripgrep }).map((tool) => [tool.name, tool]));
    let inside = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const [toolName, input] of calls) {
        const tool = tools.get(toolName);
        if (tool === undefined) throw new Error(`There is no tool ${toolName}.`);
        const result = await swapped.call(tool, input);
        expect(result, `${toolName} ${JSON.stringify(input)}`).not.toContain(SECRET);
        if (result.includes('inside text')) inside += 1;
      }
    }
    // The race was real: files of the workspace were found in between.
    expect(inside).toBeGreaterThan(0);
  });
}
