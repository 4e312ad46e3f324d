import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLedger } from '@longhaul/context/engine';
import type { StepRequest } from '@longhaul/core';
import type { JsonObject, Message } from '@longhaul/protocol';
import { answer, calls, playedDriver, testRun } from '@longhaul/testing/doubles';
import { processesWith } from '@longhaul/testing/machine';
import { createTools } from '@longhaul/tools';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalSandbox } from './local-sandbox.ts';

type Step = Parameters<typeof playedDriver>[0][number];

async function openSession(steps: readonly Step[]) {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-background-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const driver = playedDriver(steps);
  const test = await testRun(driver, createTools(), { openSandbox: () => openLocalSandbox(root) });
  return { ...test, requests: driver.requests, results: async () => resultsOf(await test.messages()) };
}

/** The texts of all results, in order. */
function resultsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'tool'
        ? [(part.output ?? []).map((piece) => ('text' in piece ? piece.text : '')).join('')]
        : [],
    ),
  );
}

const start = (command: string) => calls({ name: 'bash', input: { command, background: true } });

/** Calls `process` with the handle that the request names. */
const use =
  (action: string, input: JsonObject = {}): Step =>
  (request) =>
    calls({ name: 'process', input: { action, handle: handleIn(request), ...input } });

const handleIn = (request: StepRequest) =>
  /in the background as (m\d+\.\d+)/.exec(JSON.stringify(request.messages))?.[1] ?? 'none';

/** A number of seconds for `sleep` that no other test uses. */
const uniqueSeconds = () =>
  `${30_000 + Math.floor(Math.random() * 10_000)}.${Math.floor(Math.random() * 1e9)}`;

const isRunning = (text: string) => processesWith(text).length > 0;

const NOTE = 'Background commands have ended';
const ledgerOf = (messages: readonly Message[]) =>
  buildLedger(messages, { maxTokens: 2_000, count: (text) => text.length / 4 });

it('talks with a command, waits for a line, and ends it', async () => {
  const seconds = uniqueSeconds();
  const test = await openSession([
    start(`echo ready; read -r x; echo "got $x"; echo more; sleep ${seconds}`),
    use('output', { waitFor: '^ready$' }),
    use('write', { input: 'hello\n', waitFor: '^more' }),
    use('list'),
    use('kill'),
    use('write', { input: 'late\n' }),
    answer('Done.'),
  ]);
  await test.run('one');
  const [started, output, written, listed, killed, late] = await test.results();
  expect(started).toMatch(/^\[runs in the background as m\d+\.\d+ until this run ends/);
  expect(output).toMatch(/^ready\n\[m\d+\.\d+ runs\]$/);
  expect(written).toMatch(/^got hello\nmore\n\[m\d+\.\d+ runs\]$/);
  expect(listed).toMatch(/^m\d+\.\d+ echo ready; .*\(runs\): more$/);
  expect(killed).toMatch(/has ended: stopped\]$/);
  expect(late).toContain('it takes no input');
  const [, handle] = /as (m\d+\.\d+) /.exec(started ?? '') ?? [];
  expect(test.of('process:started')).toMatchObject([
    { handle, command: expect.stringContaining('echo ready') },
  ]);
  expect(test.of('process:ended')).toMatchObject([{ handle }]);
  // People see the last lines while the model waits.
  expect(JSON.stringify(test.of('llm:tool-progress'))).toContain('got hello');
  expect(isRunning(seconds)).toBe(false);
  expect(JSON.stringify(await test.messages())).not.toContain(NOTE);
});

it('waits for the end and reports the exit code once', async () => {
  const test = await openSession([
    start('read -r x; echo "$x"; exit 3'),
    use('write', { input: 'bye\n', waitFor: 'end' }),
    answer('Done.'),
  ]);
  await test.run('one');
  expect((await test.results())[1]).toMatch(/^bye\n\[m\d+\.\d+ has ended: exit code 3\]$/);
  await test.run('two');
  expect(JSON.stringify(test.requests)).not.toContain(NOTE);
});

it('tells the model between two steps that a command has ended by itself', async () => {
  let step = 0;
  const untilTold: Step = (request) => {
    step += 1;
    if (JSON.stringify(request.messages).includes(NOTE)) return answer('Done.');
    return calls({ name: 'bash', input: { command: `sleep 0.05; echo ${step}` } });
  };
  const test = await openSession([start('echo "no such port"; exit 7'), untilTold]);
  await test.run('one');
  const notes = (await test.messages()).filter(({ metadata }) => metadata?.synthetic === 'background');
  expect(notes).toHaveLength(1);
  expect(JSON.stringify(notes[0]?.parts)).toMatch(/exit code 7\. Last output: no such port/);
  expect(ledgerOf(await test.messages())).not.toContain('Running in the background');
});

it('ends commands with the run, tells the next run, and keeps both in the ledger', async () => {
  const seconds = uniqueSeconds();
  const test = await openSession([start(`sleep ${seconds}`), answer('Done.'), answer('I know.')]);
  await test.run('one');
  expect(isRunning(seconds)).toBe(false);
  expect(ledgerOf(await test.messages())).toMatch(
    new RegExp(`### Running in the background \\(see process\\)\n- m\\d+\\.\\d+: \`sleep ${seconds}\``),
  );
  await test.run('two');
  expect(JSON.stringify(test.requests.at(-1)?.messages)).toContain('it ended with the run that started it');
  expect(ledgerOf(await test.messages())).not.toContain('Running in the background');
  await test.run('three');
  expect(JSON.stringify(await test.messages()).split(NOTE)).toHaveLength(2);
});

it('waits for a port', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => probe.close(resolve));
  const server = `"${process.execPath}" -e 'require("net").createServer().listen(${port}, "127.0.0.1")'`;
  const test = await openSession([
    start(server),
    use('output', { waitFor: `port ${port}` }),
    answer('Done.'),
  ]);
  await test.run('one');
  expect((await test.results())[1]).toMatch(/^\[no new output\]\n\[m\d+\.\d+ runs\]$/);
});

it('says why a wait has ended', async () => {
  const test = await openSession([
    start('read -r x; echo "$x"; read -r x'),
    use('output', { waitFor: 'never', timeoutMs: 1 }),
    use('output', { waitFor: 'port 1', timeoutMs: 1 }),
    use('write', { input: `${'a'.repeat(40)}!\n`, waitFor: '^(a+)+$' }),
    use('output', { waitFor: '(' }),
    use('output', { handle: 'm99.9' }),
    use('kill'),
    answer('Done.'),
  ]);
  await test.run('one');
  const [, line, port, slow, invalid, unknown] = await test.results();
  expect(line).toContain('a line with /never/ did not come within 1 ms');
  expect(port).toContain('a server on port 1 did not come within 1 ms');
  expect(slow).toContain('`waitFor` took more than');
  expect(invalid).toContain('Invalid regular expression');
  expect(unknown).toContain('No background command of this run has the handle "m99.9". Known: m');
});

it('keeps the end of a long output, and says how much is lost', async () => {
  const test = await openSession([
    start('head -c 100000000 /dev/zero | tr "\\0" "x" | fold -w 100; echo; echo last'),
    use('output', { waitFor: 'end', timeoutMs: 100_000 }),
    answer('Done.'),
  ]);
  await test.run('one');
  const [, output] = await test.results();
  expect(output).toMatch(/^\[\d{3},\d{3},\d{3} older chars were not read and are lost\]\nx/);
  expect(output).toMatch(/x\nlast\n\[m\d+\.\d+ has ended: exit code 0\]/);
});

it('refuses more commands than can run', async () => {
  const test = await openSession([
    calls(
      ...Array.from({ length: 17 }, (_, index) => ({
        callId: `c${index}`,
        name: 'bash',
        input: { command: 'sleep 1000', background: true },
      })),
    ),
    answer('Done.'),
  ]);
  await test.run('one');
  const results = await test.results();
  expect(results.filter((text) => text.startsWith('[runs in the background'))).toHaveLength(16);
  expect(results.at(-1)).toContain('16 background commands run, and no more can');
});
