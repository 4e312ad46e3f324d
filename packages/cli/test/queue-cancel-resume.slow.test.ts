import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf, type Running } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];

const bash = (command: string) => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });

/** A script whose first call works until something ends it, or a file named `go` is there; then it answers. */
function waits(more: readonly string[] = ['Done.']) {
  let next = -1;
  return () => {
    next += 1;
    if (next === 0) return bash('echo $$ > pid; touch begun; while [ ! -e go ]; do sleep 0.05; done');
    return more[Math.min(next, more.length) - 1] ?? '';
  };
}

async function begun(bench: Bench): Promise<void> {
  await expect.poll(() => readdir(bench.workspace)).toContain('begun');
}

async function letGo(bench: Bench): Promise<void> {
  await writeFile(join(bench.workspace, 'go'), '');
}

async function started(bench: Bench, flags: readonly string[]): Promise<Running> {
  const running = bench.start(['run', 'Work', '--json', ...LOCAL, ...flags]);
  await begun(bench);
  return running;
}

describe('a session that another process works on', () => {
  it('queues, lists and changes messages, and delivers them as one', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: waits() });
    const running = await started(bench, flags);
    const sent = await bench.run(['run', '--session', 'last', 'Use tabs']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain(`Queued at position 1. Process ${running.child.pid}`);
    const added = JSON.parse((await bench.call(['queue', 'last', 'add', 'And tests', '--json'])).stdout);
    expect(added).toMatchObject({
      ok: true,
      queued: true,
      position: 2,
      message: 'Message queued at position 2',
    });
    await bench.call(['queue', 'last', 'add', 'Never mind']);
    expect(await bench.call(['queue', 'last', 'edit', '1', 'Use spaces'])).toMatchObject({ code: 0 });
    expect(await bench.call(['queue', 'last', 'remove', '3'])).toMatchObject({ code: 0 });
    expect(await bench.call(['queue', 'last', 'remove', '7'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 messages wait'),
    });
    const listed = (await bench.call(['queue', 'last'])).stdout;
    expect(listed).toMatch(/1 {2}Use spaces .* ago\n.*\n 2 {2}And tests/);
    await letGo(bench);
    const events = eventsOf(await running.ended);
    expect(events.filter((event) => event.type === 'message:queued')).toHaveLength(4);
    expect(events.findLast((event) => event.type === 'message:dequeued')).toMatchObject({
      count: 2,
      coalesced: true,
    });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('First: Use spaces\\n\\nAlso: And tests');
    expect((await bench.call(['queue', 'last', 'clear', '--json'])).stdout).toBe('{"removed":0}\n');
  });

  it('answers with --wait, and refuses to be resumed, naming its process', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits(['Both are done.']) });
    const running = await started(bench, flags);
    const busy = await bench.call(['resume', 'last', ...LOCAL, ...flags]);
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${running.child.pid}`) });
    const waiting = bench.start(['run', '--session', 'last', '--wait', 'And this', ...LOCAL, ...flags]);
    await expect.poll(async () => (await bench.call(['queue', 'last'])).stdout).toContain('And this');
    await letGo(bench);
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'Both are done.\n', stderr: '' });
    expect((await running.ended).code).toBe(0);
  });

  it('is cancelled from another terminal, and keeps or removes waiting messages', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits() });
    const running = await started(bench, flags);
    await bench.call(['queue', 'last', 'add', 'Later']);
    const cancelled = await bench.run(['cancel', 'last']);
    expect(cancelled).toMatchObject({ code: 0, stderr: '' });
    expect(cancelled.stdout).toContain('Cancelled');
    expect(cancelled.stdout.replaceAll(/\s+/g, ' ')).toContain('1 message in its queue stays');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(eventsOf(ended).at(-2)).toMatchObject({ type: 'run:finished', status: 'cancelled' });
    const idle = await bench.call(['cancel', 'last', '--clear-queue', '--json']);
    expect(JSON.parse(idle.stdout)).toEqual({
      wasRunning: false,
      clearedMessages: 1,
      endedCommands: [],
      waiting: 0,
    });
    expect((await bench.call(['cancel', 'nothing'])).stderr).toContain('longhaul sessions');
  });
});

describe('longhaul cancel', () => {
  it('returns when the last of more than 50 processes has ended, also those that ignore signals', async () => {
    await using bench = await Bench.open();
    const tree = `trap "" INT TERM HUP
      leaf() { trap "" INT TERM HUP; echo $BASHPID >> pids; sleep 300 & echo $! >> pids; wait; }
      for branch in 1 2 3 4 5; do (trap "" INT TERM HUP; echo $BASHPID >> pids; for each in 1 2 3 4 5; do leaf & done; wait) & done
      while [ "$(wc -l < pids)" -lt 55 ]; do sleep 0.05; done; touch begun; wait`;
    const { flags } = await bench.serve({ script: () => bash(tree) });
    const running = await started(bench, flags);
    const pids = (await readFile(join(bench.workspace, 'pids'), 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(55);
    expect(await Promise.all(pids.map(isAlive))).not.toContain(false);
    expect(await bench.call(['cancel', 'last'])).toMatchObject({ code: 0, stderr: '' });
    expect(await Promise.all(pids.map(isAlive))).not.toContain(true);
    expect((await running.ended).code).toBe(130);
  });
});

describe('longhaul resume', () => {
  it('resumes after kill -9: closes and reports open work, and repeats nothing', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: waits(['Went on.']) });
    const running = await started(bench, flags);
    const shell = Number(await readFile(join(bench.workspace, 'pid'), 'utf8'));
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = await bench.run(['run', '--resume', '--json', ...LOCAL, ...flags]);
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    const events = eventsOf(resumed);
    expect(events.find((event) => event.type === 'run:finished')).toMatchObject({ status: 'interrupted' });
    expect(events.find((event) => event.type === 'run:repaired')).toMatchObject({ unknownCalls: 1 });
    expect(events.findLast((event) => event.type === 'run:finished')).toMatchObject({ text: 'Went on.' });
    const last = JSON.stringify(server.requests.at(-1)?.body);
    expect(last).toContain('the outcome of this call is unknown');
    expect(await isAlive(shell)).toBe(false);
  });

  it('continues a child after kill -9, also if its dead parent is cancelled before', async () => {
    await using bench = await Bench.open();
    const work = waits(['Changed it.']);
    const { server, flags } = await bench.serve({
      script: ({ messages }) => {
        if (messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes('Part')))
          return work();
        const isDone = JSON.stringify(messages).includes('Changed it.');
        return isDone ? 'Done.' : { toolCalls: [{ name: 'task', arguments: { prompt: 'Part one' } }] };
      },
    });
    const running = await started(bench, flags);
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await bench.call(['cancel', 'last'])).stdout).toBe('No run was working on this session.\n');
    const resumed = await bench.run(['resume', 'last', '--json', ...LOCAL, ...flags]);
    expect(eventsOf(resumed).findLast((event) => event.type === 'run:finished')).toMatchObject({
      status: 'completed',
      text: 'Done.',
    });
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('the outcome of this call is unknown');
  });

  it('calls no model if there is nothing to resume, and reports that', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: () => 'Hello.' });
    await bench.call(['run', 'Greet', '--quiet', ...LOCAL, ...flags]);
    const { length } = server.requests;
    const resumed = await bench.call(['resume', 'last', ...LOCAL, ...flags]);
    expect(resumed).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('Nothing to resume'),
    });
    const json = await bench.call(['resume', 'last', '--json', ...LOCAL, ...flags]);
    expect(linesOf(json.stdout)).toEqual(['{"status":"nothing"}']);
    expect(server.requests).toHaveLength(length);
    expect((await bench.call(['resume', 'last', 'first'])).code).toBe(2);
    expect((await bench.call(['resume', 'none', ...flags])).stderr).toContain('longhaul sessions');
  });

  it('continues a fork separately', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: ({ number }) => `Answer ${number}.` });
    await bench.call(['run', 'One', '--quiet', ...LOCAL, ...flags]);
    const forked = JSON.parse((await bench.call(['fork', 'last', '--at', 'm1', '--json'])).stdout);
    const shown = JSON.parse((await bench.call(['show', forked.id, '--json'])).stdout);
    expect(shown.messages).toHaveLength(1);
    const told = await bench.call(['fork', forked.id]);
    expect(told.stdout).toContain('longhaul run --session');
    expect(await bench.call(['fork', 'last', '--at', 'm9'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('m1 to m1'),
    });
  });
});

describe('in a terminal', () => {
  const TERMINAL = { terminal: true, env: { TERM: 'xterm-256color' } };

  it('queues, shows and delivers a line typed during a run', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: waits() });
    const running = bench.start(['run', 'Work', ...LOCAL, ...flags], TERMINAL);
    await begun(bench);
    running.child.stdin?.write('Use tabd\u007fs');
    await running.saw('› Use tabs');
    running.child.stdin?.write('\r');
    await running.saw('queued');
    await letGo(bench);
    const ended = await running.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('delivered');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Use tabs');
    expect(ended.stdout.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
      ended.stdout.lastIndexOf('\u001b[?2004h'),
    );
  });

  it('cancels the run at Ctrl-C', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits() });
    const running = bench.start(['run', 'Work', ...LOCAL, ...flags], TERMINAL);
    await begun(bench);
    running.child.stdin?.write('not sent\u0003');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain('typed and not sent: not sent');
  });
});

describe('Ctrl-C', () => {
  it('twice ends the process at once and leaves no process of its tools', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: () =>
        bash('trap "" INT TERM; for i in 1 2 3; do sleep 600 & done; echo $$ > pid; touch begun; wait'),
    });
    const running = await started(bench, flags);
    const shell = Number(await readFile(join(bench.workspace, 'pid'), 'utf8'));
    running.child.kill('SIGINT');
    // Of two that wait for a process, it gets one.
    await running.warned('Stopping');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await expect.poll(() => isAlive(shell)).toBe(false);
  });
});

/** A process that has ended, but that nobody asked about yet, does not count. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) Z /.test(stat);
}
