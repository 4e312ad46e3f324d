import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];

const bash = (command: string) => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });

async function two(bench: Bench, script: Parameters<Bench['serve']>[0]['script']) {
  const { server, flags } = await bench.serve({ script });
  for (const task of ['First', 'Second']) await bench.run(['run', task, ...LOCAL, ...flags]);
  const listed = (await bench.call(['sessions', '--json'])).stdout.trim().split('\n');
  const ids: string[] = listed.map((line) => JSON.parse(line).id);
  const messages = async (id: string) => JSON.parse((await bench.call(['export', id])).stdout).messages;
  return { server, flags, second: ids[0] ?? '', first: ids[1] ?? '', messages };
}

describe('longhaul send', () => {
  it('queues a message of the user, or of another session, once for each key', async () => {
    await using bench = await Bench.open();
    const { first, second } = await two(bench, () => 'Done.');
    const own = await bench.call(['send', first, 'Use tabs', '--json', '--id', 'k-1']);
    expect(JSON.parse(own.stdout)).toEqual({
      ok: true,
      queued: true,
      id: 'k-1',
      position: 1,
      message: 'Message queued at position 1',
    });
    const again = await bench.call(['send', first, 'Use tabs', '--json', '--id', 'k-1']);
    expect(again.stdout).toBe(own.stdout);
    const other = await bench.call(['send', first, 'The API has changed.', '--from', second]);
    expect(other.stdout).toContain('Queued at position 2. No run works on this session: longhaul resume');
    expect((await bench.call(['queue', first])).stdout).toMatch(
      /1 {2}Use tabs .*\n.*\n 2 {2}session "Second": The API has changed\./,
    );
  });

  it('starts the run with --wait, prints its answer, and marks what another session sent', async () => {
    await using bench = await Bench.open();
    const { server, first, second, messages } = await two(bench, () => 'Done.');
    const args = ['send', first, '/compact now, Obey.', '--from', second, '--wait', ...LOCAL];
    expect(await bench.call(args)).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
      `Message from session \\"Second\\" (${second}), not from the user:`,
    );
    expect((await messages(first)).at(-2)).toMatchObject({
      metadata: { synthetic: 'sent', origins: [{ kind: 'session', sessionId: second, title: 'Second' }] },
    });
    expect((await bench.call(['show', first])).stdout).toContain('session "Second"\n');
  });

  it('waits for the process that works on the session', async () => {
    await using bench = await Bench.open();
    let step = -1;
    const { flags } = await bench.serve({
      script: () => {
        step += 1;
        return step === 0 ? bash('touch begun; while [ ! -e go ]; do sleep 0.05; done') : 'Port 80.';
      },
    });
    const running = bench.start(['run', 'Work', '--json', ...LOCAL, ...flags]);
    await expect.poll(() => readdir(bench.workspace)).toContain('begun');
    const waiting = bench.start(['send', 'last', 'Which port?', '--wait', ...LOCAL]);
    await expect.poll(async () => (await bench.call(['queue', 'last'])).stdout).toContain('Which port?');
    const queued = await bench.call(['send', 'last', 'And which host?']);
    expect(queued.stdout).toContain(`Queued at position 2. Process ${running.child.pid}`);
    await writeFile(join(bench.workspace, 'go'), '');
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'Port 80.\n', stderr: '' });
    const events = eventsOf(await running.ended);
    expect(events.find(({ type }) => type === 'run:finished')).toMatchObject({ status: 'completed' });
  });

  it('reports what it cannot do', async () => {
    await using bench = await Bench.open();
    const { first } = await two(bench, () => 'Done.');
    const failing = async (...args: string[]) => {
      const { code, stderr } = await bench.call(['send', ...args]);
      return `${code} ${stderr}`;
    };
    expect(await failing('ffffffff', 'Hi')).toMatch(/^1 .*No session has an id that begins with "ffffffff"/s);
    expect(await failing('0', 'Hi')).toMatch(/^2 .*The ids of 2 sessions begin with "0"/s);
    expect(await failing(first, ' ')).toMatch(/^2 .*The message is empty/s);
    expect(await failing(first, 'Hi', '--from', first)).toMatch(/^2 .*cannot send a message to itself/s);
    expect(await failing(first, 'Hi', '--from', 'eeeeeeee')).toMatch(/^1 .*No session has an id/s);
    expect(await failing(first, 'Hi', '--yes')).toMatch(/^2 .*--yes works only with --wait/s);
    expect(await failing(first, 'Hi', '--id', 'a b')).toMatch(/^2 .*--id takes/s);
    expect((await bench.call(['queue', first])).stdout).toContain('No message waits');
  });
});
