import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { StepRequest } from '@longhaul/core';
import type { JsonObject } from '@longhaul/protocol';
import { chooseSandbox } from '@longhaul/sandbox';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { processesWith } from '@longhaul/testing/machine';
import { createTools } from '@longhaul/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DOCKER_IMAGE, lacksBubblewrap, lacksDocker } from './machine.ts';

type Step = Parameters<typeof playedDriver>[0][number];

/** Plays the steps in one run and returns the texts of their results. */
async function play(
  driver: 'bubblewrap' | 'docker',
  root: string,
  steps: readonly Step[],
): Promise<string[]> {
  const openSandbox = () =>
    chooseSandbox(driver, {
      sessionId: basename(root),
      workspace: root,
      network: 'off',
      memoryMb: 256,
      pids: 40,
      cpus: 1,
      image: DOCKER_IMAGE,
      env: {},
      programFolders: [dirname(process.execPath)],
    });
  const test = await testRun(playedDriver([...steps, answer('Done.')]), createTools(), { openSandbox });
  expect(await test.run('Go')).toMatchObject({ status: 'completed' });
  return (await test.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'tool'
        ? [(part.output ?? []).map((piece) => ('text' in piece ? piece.text : '')).join('')]
        : [],
    ),
  );
}

async function makeRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-hostile-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

const begin = (command: string) => ({ name: 'bash', input: { command, background: true } });
const start = (command: string) => calls(begin(command));
const run = (command: string) => calls({ name: 'bash', input: { command } });
/** Uses the nth command of the session. */
const use =
  (action: string, input: JsonObject = {}, nth = 0): Step =>
  (request) =>
    calls({ name: 'process', input: { action, handle: handlesIn(request)[nth] ?? 'none', ...input } });
const handlesIn = ({ messages }: StepRequest) =>
  [...JSON.stringify(messages).matchAll(/in the background as (m\d+\.\d+)/g)].map(
    ([, handle = '']) => handle,
  );

const kinds = [
  { sandbox: 'bubblewrap', lacking: lacksBubblewrap },
  { sandbox: 'docker', lacking: lacksDocker },
] as const;

describe.each(
  kinds.map((each) => ({ ...each, title: [each.sandbox, each.lacking].filter(Boolean).join(': ') })),
)('hostile background commands in $title', ({ sandbox, lacking }) => {
  const test = it.skipIf(lacking !== undefined);

  test('a fork bomb that ignores SIGTERM ends with kill, and the next command runs', async () => {
    const root = await makeRoot();
    const name = `bomb-${basename(root)}`;
    await writeFile(join(root, name), `trap '' TERM; while :; do bash ./${name} & sleep 0.01; done\n`);
    const [, seen, killed, next] = await play(sandbox, root, [
      start(`trap '' TERM; echo begun; . ./${name} 2>/dev/null`),
      use('output', { waitFor: '^begun$' }),
      use('kill'),
      run('echo on'),
    ]);
    expect(seen).toMatch(/^begun\n/);
    expect(killed).toMatch(/has ended: /);
    expect(next).toMatch(/^on\n/);
    expect(processesWith(name)).toEqual([]);
  });

  test('a gigabyte of output that nobody reads is bounded, and its end is kept', async () => {
    const [, output] = await play(sandbox, await makeRoot(), [
      start('head -c 1000000000 /dev/zero | tr "\\0" "x" | fold -w 1000; echo; echo last'),
      use('output', { waitFor: 'end', timeoutMs: 600_000 }),
    ]);
    const lost = /^\[([\d,]+) older chars were not read and are lost\]/.exec(output ?? '')?.[1];
    expect(Number(lost?.replaceAll(',', ''))).toBeGreaterThan(999_000_000);
    expect(output).toMatch(/x\nlast\n\[m\d+\.\d+ has ended: exit code 0\]/);
  });

  test('input to a command that does not read it is refused beyond 1 MiB, and the command still runs', async () => {
    const results = await play(sandbox, await makeRoot(), [
      start('read -r go; echo "got it"; sleep 1000'),
      use('write', { input: 'go\n', waitFor: '^got it$' }),
      use('write', { input: 'x'.repeat(1_048_577) }),
      use('list'),
    ]);
    expect(results[1]).toMatch(/^got it\n/);
    expect(results[2]).toContain('The command does not read its input');
    expect(results.at(-1)).toContain('(runs)');
  });

  test('commands that start in one step have different handles, and only the named one ends', async () => {
    const results = await play(sandbox, await makeRoot(), [
      calls({ callId: 'a', ...begin('echo first; cat') }, { callId: 'b', ...begin('echo second; cat') }),
      use('output', { waitFor: '^second$' }, 1),
      use('kill', {}, 1),
      use('write', { input: 'still here\n', waitFor: '^still here$' }, 0),
    ]);
    expect(new Set(results.slice(0, 2)).size).toBe(2);
    expect(results[3]).toMatch(/has ended: stopped\]$/);
    expect(results[4]).toMatch(/still here\n\[m\d+\.\d+ runs\]$/);
  });

  test('a port of this machine does not count, and one of the sandbox does', async () => {
    const host = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void host.close());
    await new Promise((resolve) => host.once('listening', resolve));
    const address = host.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const listen = `node -e 'require("net").createServer().listen(${port}, "127.0.0.1")'`;
    const [, , foreign, own] = await play(sandbox, await makeRoot(), [
      start(`read -r go; ${listen}`),
      // Starts the server only after the first wait.
      use('list'),
      use('output', { waitFor: `port ${port}`, timeoutMs: 500 }),
      use('write', { input: 'go\n', waitFor: `port ${port}` }),
    ]);
    expect(foreign).toContain(`a server on port ${port} did not come within 500 ms`);
    expect(own).toMatch(/^\[no new output\]\n\[m\d+\.\d+ runs\]$/);
  });
});
