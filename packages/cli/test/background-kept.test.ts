import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endKeptProcesses, type StepRequest } from '@longhaul/core';
import type { JsonObject } from '@longhaul/protocol';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { processExists } from '@longhaul/testing/machine';
import { createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';
import { endProcess } from '../src/compose/open-sandbox.ts';
import { openLocalSandbox } from './local-sandbox.ts';

type Step = Parameters<typeof playedDriver>[0][number];

async function openSession(steps: readonly Step[], { keeps = true } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-kept-test-'));
  const driver = playedDriver(steps);
  const test = await testRun(driver, createTools(), {
    openSandbox: async (_session, signal, recordProcess) => {
      const sandbox = await openLocalSandbox(root, { signal, recordProcess });
      return keeps ? sandbox : { ...sandbox, kept: undefined };
    },
    endProcess,
  });
  const session = async () => (await test.store.getSession(test.sessionId)) ?? expect.fail('no session');
  onTestFinished(async () => {
    await endKeptProcesses(test.store, await session(), endProcess);
    await rm(root, { recursive: true, force: true });
  });
  const open = () => test.store.listProcesses(test.sessionId, { open: true });
  return {
    ...test,
    root,
    session,
    open,
    /** The pid of the only open process. */
    pid: async () => (await open())[0]?.place.leader?.pid ?? expect.fail('no process'),
    results: async () =>
      (await test.messages()).flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === 'tool' ? (part.output ?? []).map((piece) => ('text' in piece ? piece.text : '')) : [],
        ),
      ),
  };
}

const keep = (command: string) => calls({ name: 'bash', input: { command, background: true, keep: true } });
const use =
  (action: string, input: JsonObject = {}): Step =>
  (request) =>
    calls({ name: 'process', input: { action, handle: handleIn(request), ...input } });
const handleIn = (request: StepRequest) =>
  /in the background as (m\d+\.\d+)/.exec(JSON.stringify(request.messages))?.[1] ?? 'none';

const TICKING = 'n=0; while :; do n=$((n+1)); echo "tick $n"; sleep 0.02; done';

it('keeps a command after its run, and the next run reads its output and ends it', async () => {
  const test = await openSession([
    keep(TICKING),
    use('output', { waitFor: 'tick 2$' }),
    answer('Done.'),
    use('list'),
    use('output', { waitFor: 'tick \\d{2}$' }),
    use('write', { input: 'x\n' }),
    use('kill'),
    answer('Ended.'),
  ]);
  await test.run('one');
  const pid = await test.pid();
  expect(processExists(pid)).toBe(true);
  await test.run('two');
  const [started, first, listed, second, written, killed] = await test.results();
  expect(started).toMatch(/as m\d+\.\d+, also after this run\./);
  expect(first).toMatch(/^tick 1\ntick 2\n/);
  expect(listed).toMatch(/^m\d+\.\d+ n=0; .*\(runs\)/);
  expect(second).toMatch(/^tick 1\n.*tick \d\d\n/s);
  expect(written).toContain('A command that is kept takes no input.');
  expect(killed).toMatch(/has ended: stopped\]$/);
  await expect.poll(() => processExists(pid)).toBe(false);
  expect(await test.open()).toEqual([]);
  await test.run('three').catch(() => undefined);
  expect(JSON.stringify(await test.messages())).not.toContain('Background commands have ended');
});

it('reports how a kept command ended between two runs', async () => {
  const test = await openSession([
    keep('until [ -e go ]; do sleep 0.02; done; echo bye; exit 5'),
    answer('Done.'),
    answer('I know.'),
  ]);
  await test.run('one');
  const pid = await test.pid();
  await writeFile(join(test.root, 'go'), '');
  await expect.poll(() => processExists(pid)).toBe(false);
  await test.run('two');
  expect(JSON.stringify(await test.messages())).toMatch(/exit code 5\. Last output: bye/);
  expect(await test.open()).toEqual([]);
});

it('ends a kept command from outside, and the next run reports that', async () => {
  const test = await openSession([keep(`trap '' TERM; ${TICKING}`), answer('Done.'), answer('I know.')]);
  await test.run('one');
  const pid = await test.pid();
  const mark = (await test.open())[0]?.place.mark ?? '';
  const folder = join(tmpdir(), `longhaul-kept-${process.getuid?.()}`, mark);
  expect(existsSync(folder)).toBe(true);
  const ended = await endKeptProcesses(test.store, await test.session(), endProcess);
  expect(ended.map(({ command }) => command)).toEqual([`trap '' TERM; ${TICKING}`]);
  expect(existsSync(folder)).toBe(false);
  await expect.poll(() => processExists(pid)).toBe(false);
  await test.run('two');
  expect(JSON.stringify(await test.messages())).toContain('Background commands have ended');
});

it('ends no process that the metadata of a session names and no run has stored', async () => {
  const test = await openSession([keep(TICKING), answer('Done.')]);
  await test.run('one');
  const pid = await test.pid();
  const copy = {
    ...(await test.session()),
    id: (await test.runtime.createSession({ workspace: '/', model: 'played/test', task: 'x' })).id,
  };
  expect(await endKeptProcesses(test.store, copy, endProcess)).toEqual([]);
  expect(processExists(pid)).toBe(true);
});

it('bounds the kept output, however much a command prints while nobody reads', async () => {
  const test = await openSession([
    keep(
      'head -c 20000000 /dev/zero | tr "\\0" "x" | fold -w 99; echo; echo last; touch printed; sleep 1000',
    ),
    answer('Done.'),
    use('output', { waitFor: '^last$' }),
    answer('Read.'),
  ]);
  await test.run('one');
  await expect.poll(() => existsSync(join(test.root, 'printed'))).toBe(true);
  const mark = (await test.open())[0]?.place.mark ?? '';
  const folder = join(tmpdir(), `longhaul-kept-${process.getuid?.()}`, mark);
  expect(readdirSync(folder).filter((name) => /^\d+$/.test(name)).length).toBeLessThanOrEqual(3);
  await test.run('two');
  expect((await test.results()).at(-1)).toMatch(/x\nlast\n\[m\d+\.\d+ runs\]/);
});

it('refuses to keep a command where every command ends with the run', async () => {
  const test = await openSession([keep(TICKING), answer('Done.')], { keeps: false });
  await test.run('one');
  expect((await test.results())[0]).toContain('every command ends with the run. Start it without keep');
});
