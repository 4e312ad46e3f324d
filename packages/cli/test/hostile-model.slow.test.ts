import { existsSync } from 'node:fs';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptAnswer } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

type Call = { name: string; arguments: Record<string, unknown> };

/** Makes one call after the other, then answers. */
function calling(calls: readonly Call[]) {
  let next = 0;
  return (): ScriptAnswer => {
    const call = calls[next];
    next += 1;
    return call === undefined ? 'Done.' : { text: '', toolCalls: [JSON.parse(JSON.stringify(call))] };
  };
}

const bash = (input: Record<string, unknown>): Call => ({ name: 'bash', arguments: input });

describe('a model that avoids the approval rules', () => {
  it.each([
    ['an alias', bash({ cmd: 'touch made' })],
    ['null and an alias', bash({ command: null, cmd: 'touch made' })],
    ['an empty path', bash({ command: 'touch made', path: 'docs/a' })],
    ['an alias of a path', { name: 'write', arguments: { file_path: 'made', content: 'x' } }],
    [
      'a command that a write ignores',
      { name: 'write', arguments: { path: 'made', content: 'x', command: 'ls' } },
    ],
  ])('is judged by what the tool would do: %s', async (_, call) => {
    await using bench = await Bench.open();
    const rules = [
      '{ tool: "*", command: "*", action: deny }',
      '{ tool: "*", command: "ls *", action: allow }',
      '{ tool: "*", path: "**", action: deny }',
      '{ tool: "*", path: "docs/**", action: allow }',
    ];
    await writeFile(bench.userFile, `approvals:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`);
    const { flags } = await bench.serve({ script: calling([call]) });
    const ended = await bench.run(['run', '--sandbox', 'local', ...flags, '--json', 'Go']);
    const results = eventsOf(ended).filter((event) => event.type === 'llm:tool-result');
    expect(results).toMatchObject([
      { success: false, sanitized: [{ text: expect.stringContaining('Not allowed') }] },
    ]);
    expect(existsSync(join(bench.workspace, 'made'))).toBe(false);
  });

  it('is allowed only the approved command by "always", under any name of its field', async () => {
    await using bench = await Bench.open();
    await writeFile(bench.userFile, 'approvals:\n  - { tool: bash, action: ask }\n');
    const { flags } = await bench.serve({
      script: calling([bash({ cmd: 'ls' }), bash({ cmd: 'touch made' })]),
    });
    const args = ['run', '--sandbox', 'local', ...flags, 'Go'];
    const running = bench.start(args, { terminal: true, env: { TERM: 'xterm' } });
    await running.saw('Allow it?');
    running.child.stdin?.write('a\n');
    await running.saw('? bash touch made');
    running.child.stdin?.write('n\n\n');
    await running.ended;
    expect(existsSync(join(bench.workspace, 'made'))).toBe(false);
  });
});

it('runs no program that a model wrote into a folder of PATH, as an activated environment is', async () => {
  await using bench = await Bench.open();
  const proof = join(bench.root, 'ran');
  const folder = join(bench.workspace, '.venv/bin');
  await mkdir(folder, { recursive: true });
  const names = ['rg', 'bwrap', 'git', 'ps', 'docker'];
  const plant = names.map((name) => `printf '#!/bin/sh\\necho ${name} >> "${proof}"\\n' > .venv/bin/${name}`);
  const calls = [
    bash({ command: `${plant.join('\n')}\nchmod +x .venv/bin/*` }),
    { name: 'grep', arguments: { pattern: 'planted' } },
    { name: 'glob', arguments: { pattern: '**/*.txt' } },
  ];
  await writeFile(join(bench.workspace, 'a.txt'), 'planted\n');
  const { flags } = await bench.serve({ script: calling(calls) });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const ended = await bench.run(['run', '--sandbox', 'local', ...flags, '--json', 'Go'], { env });
  expect(eventsOf(ended).filter((event) => event.type === 'llm:tool-result')).toMatchObject([
    { success: true },
    { success: true, sanitized: [{ text: expect.stringContaining('a.txt') }] },
    { success: true, sanitized: [{ text: expect.stringContaining('a.txt') }] },
  ]);
  await bench.run(['doctor', '--json'], { env });
  expect(existsSync(proof)).toBe(false);
});

it.skipIf(!existsSync('/proc/self/fdinfo'))(
  'passes no open file of the starting program to commands',
  async () => {
    await using bench = await Bench.open();
    const secrets = join(bench.root, 'secrets');
    await mkdir(secrets);
    await writeFile(join(secrets, 'key'), 'PLANTED-KEY');
    const command =
      'for n in 42 251; do echo "$n: $(readlink /proc/self/fd/$n)"; cat /proc/self/fd/$n/key; echo x > /proc/self/fd/$n/planted; done';
    const { flags } = await bench.serve({ script: calling([bash({ command })]) });
    const before = `exec 42<'${secrets}' 251<'${secrets}'`;
    const { stdout } = await bench.run(['run', '--sandbox', 'local', ...flags, '--json', 'Go'], { before });
    // Bun closes them.
    const seen = [...stdout.matchAll(/(42|251): (?:\/dev\/null)?\\n/g)].map(([, number]) => number);
    expect(new Set(seen)).toEqual(new Set(['42', '251']));
    expect(stdout).not.toContain('PLANTED-KEY');
    expect(existsSync(join(secrets, 'planted'))).toBe(false);
  },
);

describe('a folder in which an agent could change what Longhaul trusts', () => {
  it.each([
    [
      'contains your configuration',
      async (bench: Bench) => ({ XDG_CONFIG_HOME: join(bench.workspace, 'own') }),
    ],
    [
      'contains the target of a link to it',
      async (bench: Bench) => {
        await mkdir(join(bench.workspace, 'dotfiles'));
        await writeFile(join(bench.workspace, 'dotfiles/longhaul.yml'), '{}');
        await symlink(join(bench.workspace, 'dotfiles/longhaul.yml'), bench.userFile);
        return {};
      },
    ],
    [
      'contains compiled code',
      async (bench: Bench) => ({ NODE_COMPILE_CACHE: join(bench.workspace, 'cache') }),
    ],
  ])('is refused as a workspace if it %s', async (_, prepare) => {
    await using bench = await Bench.open();
    const env = await prepare(bench);
    const { server, flags } = await bench.serve({ script: calling([]) });
    const ended = await bench.run(['run', ...flags, 'Go'], { env });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /The workspace .* contains (your own configuration|compiled code of Longhaul)/,
    );
    expect(server.requests).toHaveLength(0);
    // What only reads works there, and nothing was begun.
    const listed = await bench.run(['sessions', '--all'], { env });
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('No sessions')]);
  });

  it('is not entered through a link that has taken the place of a folder of a session', async () => {
    await using bench = await Bench.open();
    const [sub, secrets] = [join(bench.workspace, 'sub'), join(bench.root, 'secrets')];
    await mkdir(sub);
    await mkdir(secrets);
    const { server, flags } = await bench.serve({ script: calling([]) });
    const inSub = ['run', '--sandbox', 'local', ...flags];
    expect((await bench.run([...inSub, '-C', 'sub', 'Go'])).code).toBe(0);
    await rename(sub, `${sub}-moved`);
    await symlink(secrets, sub);
    const before = server.requests.length;
    for (const args of [
      [...inSub, '--session', 'last', '--all', 'Go on'],
      ['resume', 'last', '--all'],
    ]) {
      const ended = await bench.run(args);
      expect(ended.stderr).toContain('leads to');
      expect(ended.code).toBe(2);
    }
    expect(server.requests.length).toBe(before);
  });
});
