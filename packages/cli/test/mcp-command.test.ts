import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const hostile = fileURLToPath(new URL('../../mcp/test/hostile-server.ts', import.meta.url));

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench[Symbol.asyncDispose]());

it('longhaul mcp adds a server, tests it, lists it and removes it, and keeps the rest of the file', async () => {
  await writeFile(bench.userFile, '# mine\nlimits: { steps: 7 } # few\n');
  const added = await bench.call([
    'mcp',
    'add',
    'h',
    '--env',
    'TOKEN=hidden',
    '--',
    process.execPath,
    hostile,
    'plain',
  ]);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const text = await readFile(bench.userFile, 'utf8');
  expect(text).toMatch(/^# mine\nlimits: \{ steps: 7 \} # few\nmcp:\n {2}servers:\n {4}h:\n/);
  const listed = await bench.call(['mcp']);
  expect(listed.stdout).toBe(`h  ${process.execPath} ${hostile} plain\n`);
  expect((await bench.call(['mcp', 'list', '--json'])).stdout).not.toContain('hidden');
  expect(await bench.call(['mcp', 'test'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^h {2}1 tool, about \d+ tokens: go\n$/),
  });
  expect(await bench.call(['mcp', 'add', 'h', '--url', 'http://h.example'])).toMatchObject({ code: 2 });
  expect(await bench.call(['mcp', 'remove', 'h'])).toMatchObject({ code: 0 });
  expect((await bench.call(['mcp'])).stdout).toContain('No MCP server is configured');
  expect((await bench.call(['mcp', 'remove', 'h'])).code).toBe(1);
});

it('longhaul mcp shows which servers run in a sandbox', async () => {
  const servers = { s: { command: 'x', sandbox: true }, h: { command: 'x' } };
  await writeFile(bench.userFile, JSON.stringify({ mcp: { servers } }));
  expect((await bench.call(['mcp'])).stdout).toBe('s  x (in a sandbox)\nh  x\n');
});

it('longhaul mcp test reports what is wrong with a server, and fails', async () => {
  const add = (name: string, ...rest: string[]) => bench.call(['mcp', 'add', name, ...rest]);
  await add('bad', '--', process.execPath, hostile, 'ends-at-once');
  await add('far', '--url', 'http://127.0.0.1:9/mcp', '--header', 'Authorization: Bearer x');
  const tested = await bench.call(['mcp', 'test', '--json']);
  expect(tested.code).toBe(1);
  const [bad, far] = linesOf(tested.stdout).map((line) => JSON.parse(line));
  expect(bad.error).toContain('no database');
  expect(far.error).toContain('The MCP server far cannot be used');
  const wrong = await bench.call(['mcp', 'test', 'bda']);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Did you mean "bad"? The servers are: bad, far.'),
  });
});

it.each([
  [['add'], 'Name the server'],
  [['add', 'x'], 'Give the command of the server after --'],
  [['add', 'x', '--url', 'ftp://x'], 'must be an http'],
  [['add', 'a b', '--', 'x'], 'must be a name'],
  [['add', 'x', '--env', 'A', '--', 'x'], 'is not of the form --env NAME=VALUE'],
  [['drop', 'x'], 'There is no action "drop"'],
])('longhaul mcp %j is refused', async (args, message) => {
  const refused = await bench.call(['mcp', ...args]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  await expect(readFile(join(bench.home, '.config/longhaul/longhaul.yml'))).rejects.toThrow();
});
