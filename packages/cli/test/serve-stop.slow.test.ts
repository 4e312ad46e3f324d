import { access, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hasToolCall } from '@longhaul/scripted-model';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';
import { lacksBubblewrap } from './machine.ts';

async function startServer(
  bench: Bench,
  { config = '', driver = 'local' }: { config?: string; driver?: string } = {},
): Promise<{ running: Running; sessionId: string }> {
  const { server } = await bench.serve({
    script: ({ messages }) =>
      hasToolCall(messages, 'bash')
        ? 'Done.'
        : {
            toolCalls: [{ name: 'bash', arguments: { command: 'echo $$ > started; sleep 300; echo over' } }],
          },
  });
  await writeFile(
    bench.userFile,
    `model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${server.url}" } }
sandbox: { driver: ${driver} }
approvals: [{ tool: '*', action: allow }]
${config}`,
  );
  const running = bench.start(['serve', '--port', '0', '--json']);
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  const headers = {
    authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`,
    'content-type': 'application/json',
  };
  const post = async (path: string, body: object) =>
    JSON.parse(
      await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text(),
    );
  const { id } = await post('/api/sessions', {});
  await post(`/api/sessions/${id}/messages`, { content: 'Go' });
  await expect
    .poll(
      () =>
        access(join(bench.workspace, 'started')).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  return { running, sessionId: id };
}

/** All processes below this one, the oldest first: a shell whose command dies first may run its next command. */
async function descendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

it.for([
  { driver: 'local', problem: undefined },
  { driver: 'bubblewrap', problem: lacksBubblewrap },
])(
  'stores a command of $driver that a service manager ends together with the server as interrupted',
  async ({ driver, problem }, { skip }) => {
    if (problem !== undefined) return skip(problem);
    await using bench = await Bench.open();
    const { running, sessionId } = await startServer(bench, { driver });
    const pid = running.child.pid ?? 0;
    const all = await descendants(pid);
    expect(all.length).toBeGreaterThan(0);
    for (const each of [pid, ...all]) process.kill(each, 'SIGTERM');
    expect((await running.ended).code).toBe(0);
    await using store = await openSqliteStore({
      path: join(bench.home, '.local/share/longhaul/longhaul.db'),
    });
    const { messages } = await store.loadLog(sessionId);
    const part = messages.flatMap(({ parts }) => parts).find(({ type }) => type === 'tool');
    expect(part).toMatchObject({ state: 'interrupted' });
    expect(JSON.stringify(part)).toContain('Longhaul was stopped, and the command was ended with it');
    expect((await store.listRuns(sessionId)).at(-1)).toMatchObject({ status: 'interrupted' });
  },
);

it('continues its log in a new file after SIGHUP, with the problems that it found at its start', async () => {
  await using bench = await Bench.open();
  await writeFile(bench.userFile, 'sandbox: { driver: local }\nmodel: openai/gpt-5.5\n');
  const path = join(bench.root, 'longhaul.log');
  await writeFile(path, '', { mode: 0o644 });
  const running = bench.start(['serve', '--port', '0', '--json', '--log-file', path]);
  await running.saw('"listening"');
  const log = async (file = path) => await readFile(file, 'utf8').catch(() => '');
  await expect.poll(() => log()).toContain('not ready: model: ');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await rename(path, `${path}.1`);
  running.child.kill('SIGHUP');
  await expect.poll(() => log()).not.toBe('');
  running.child.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(await log()).toContain('stopped');
  expect(await log(`${path}.1`)).not.toContain('stopped');
});

it('writes nothing but JSON to the log, and stops, while the collector of telemetry does not answer', async () => {
  const collector = createServer(() => {});
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  try {
    await using bench = await Bench.open();
    const { port } = collector.address() as AddressInfo;
    const { running } = await startServer(bench, {
      config: `server: { stopGraceMs: 100 }\ntelemetry: { otlp: 'http://127.0.0.1:${port}' }\n`,
    });
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toContainEqual(
      expect.stringContaining('could not be sent'),
    );
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
});
