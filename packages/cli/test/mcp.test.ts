import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@longhaul/config';
import { hasToolCall } from '@longhaul/scripted-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const everything = join(modules, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const server = (more: object = {}) => ({ command: process.execPath, args: [everything], ...more });

/** Lint rules take it for a mistake in a literal. */
const B = ['$', '{B}'].join('');

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench[Symbol.asyncDispose]());

const writeUser = (config: object) => writeFile(bench.userFile, JSON.stringify(config));
const writeServers = (mcpServers: object) =>
  writeFile(join(bench.workspace, '.mcp.json'), JSON.stringify({ mcpServers }));

describe('the servers of a project', () => {
  const load = (trust?: 'all') =>
    loadConfig({ cwd: bench.workspace, home: bench.home, env: {}, trust }).then(({ config, project }) => ({
      servers: config.mcp.servers,
      wants: project?.wants.map(({ key, danger, text }) => ({ key, danger, text })),
    }));

  it('are read from .mcp.json, with or without a longhaul.yml, and need trust', async () => {
    await writeServers({
      'my db': { type: 'stdio', command: 'npx', args: ['-y', 'db'], env: { A: B }, disabled: false },
    });
    const wants = [
      {
        key: 'mcp.servers.my-db',
        danger: 'code',
        text: `starts, outside of the sandbox: npx -y db\nenv.A: ${B}`,
      },
    ];
    const trusted = { 'my-db': { command: 'npx', args: ['-y', 'db'], env: { A: B } } };
    expect(await load()).toEqual({ servers: {}, wants });
    expect(await load('all')).toEqual({ servers: trusted, wants });
    await writeFile(
      join(bench.workspace, 'longhaul.yml'),
      'mcp: { servers: { b: { url: "http://b.example" } } }',
    );
    expect((await load()).servers).toEqual({});
    expect((await load('all')).servers).toEqual({ ...trusted, b: { url: 'http://b.example' } });
  });

  it("get no settings of the user's server with the same name", async () => {
    await writeUser({
      mcp: { servers: { a: { url: 'https://mine.example', headers: { Authorization: 'secret' } } } },
    });
    await writeServers({ a: { url: 'https://theirs.example' } });
    expect((await load()).servers).toEqual({
      a: { url: 'https://mine.example', headers: { Authorization: 'secret' } },
    });
    expect((await load('all')).servers).toEqual({ a: { url: 'https://theirs.example' } });
  });

  it('do not start until they are trusted, and run in the workspace then', async () => {
    const proof = join(bench.root, 'proof');
    await writeServers({
      x: {
        command: process.execPath,
        args: ['-e', `fs.writeFileSync(${JSON.stringify(proof)}, process.cwd())`],
      },
    });
    const { flags } = await bench.serve({ script: () => 'Done.' });
    const run = (...args: string[]) =>
      bench.call(['run', 'Go', '--sandbox', 'local', '--quiet', ...flags, ...args]);
    const ignored = await run();
    expect(ignored).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ignored.stderr).toContain('mcp.servers.x');
    await expect(readFile(proof)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await run('--trust')).toMatchObject({ code: 0 });
    expect(await readFile(proof, 'utf8')).toBe(bench.workspace);
  });
});

it('longhaul run calls the tools of a server that an agent may call, by its rules', async () => {
  await writeUser({
    mcp: { servers: { every: server({ tools: ['echo', 'get-sum'] }) } },
    agents: { coder: { tools: ['read', 'mcp:every'] } },
    approvals: [{ tool: 'every_get-*', action: 'deny' }],
  });
  const { flags } = await bench.serve({
    script: ({ messages }) =>
      hasToolCall(messages, 'every_echo')
        ? 'Done.'
        : {
            toolCalls: [
              { name: 'every_echo', arguments: '{"message":"hello"}' },
              { name: 'every_get-sum', arguments: '{"a":1,"b":2}' },
            ],
          },
  });
  const ended = await bench.call(['run', 'Go', '--sandbox', 'local', '--json', ...flags]);
  expect(ended.code).toBe(0);
  const results = eventsOf(ended).filter((event) => event.type === 'llm:tool-result');
  expect(Object.fromEntries(results.map(({ toolName, sanitized }) => [toolName, sanitized]))).toEqual({
    every_echo: [{ type: 'text', text: 'Echo: hello' }],
    'every_get-sum': [
      { type: 'text', text: expect.stringContaining('the approval rule for "every_get-*" denies it') },
    ],
  });
});

it('a server that cannot be started is a warning of the run', async () => {
  await writeUser({ mcp: { servers: { gone: { command: 'no-such-program' } } } });
  const { flags } = await bench.serve({ script: () => 'Done.' });
  const ended = await bench.call(['run', 'Go', '--sandbox', 'local', '--json', ...flags]);
  expect(ended.code).toBe(0);
  const [warning] = eventsOf(ended).filter((event) => event.type === 'context:warning');
  expect(warning?.message).toMatch(
    /^The MCP server gone cannot be used: There is no program "no-such-program"/,
  );
});

it('longhaul config shows no value of a header or a variable', async () => {
  await writeUser({
    mcp: {
      servers: {
        a: { command: 'a', env: { TOKEN: 'hidden-1' } },
        b: { url: 'http://b.example', headers: { Authorization: 'hidden-2' } },
      },
    },
  });
  const { stdout } = await bench.call(['config']);
  expect(stdout).toContain('mcp');
  expect(stdout).not.toContain('hidden');
});
