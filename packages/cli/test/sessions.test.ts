import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

async function benchWithRuns(...tasks: string[]): Promise<Bench> {
  const bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => 'It is \u001b[31mdone\u001b[0m.' });
  for (const task of tasks) await bench.call(['run', task, '--sandbox', 'local', ...flags]);
  return bench;
}

describe('longhaul sessions', () => {
  it('lists the newest first, up to the limit', async () => {
    await using bench = await benchWithRuns('First', 'Second');
    const { stdout } = await bench.call(['sessions']);
    expect(
      linesOf(stdout)
        .slice(1)
        .map((line) => line.split(/ {2,}/).slice(2)),
    ).toEqual([
      ['completed', 'Second'],
      ['completed', 'First'],
    ]);
    const [only, ...others] = linesOf((await bench.call(['sessions', '--json', '-n', '1'])).stdout);
    expect(JSON.parse(only ?? '')).toMatchObject({
      task: 'Second',
      status: 'completed',
      workspace: bench.workspace,
    });
    expect(others).toEqual([]);
  });

  it('shows what was done with -v, and so do show and search', async () => {
    await using bench = await benchWithRuns('First');
    const summary = 'It is [31mdone [0m.';
    const { stdout } = await bench.call(['sessions', '-v']);
    expect(linesOf(stdout).at(-1)).toBe(`    ${summary}`);
    expect((await bench.call(['sessions'])).stdout).not.toContain(summary);
    expect((await bench.call(['show', 'last'])).stdout).toContain(`summary  ${summary}`);
    expect(linesOf((await bench.call(['search', 'First'])).stdout)[1]).toBe(summary);
    const found = await bench.call(['search', 'First', '--json']);
    expect(JSON.parse(linesOf(found.stdout)[0] ?? '')).toMatchObject({ title: 'First', summary });
  });

  it('shows running and interrupted sessions for every stored status', async () => {
    await using bench = await benchWithRuns('First');
    const { flags } = await bench.serve({
      script: () => ({
        text: 'I wait.',
        toolCalls: [{ name: 'bash', arguments: { command: 'echo begun; sleep 60' } }],
      }),
    });
    const args = ['run', 'Wait', '--session', 'last', '--json', '--sandbox', 'local', ...flags];
    const running = bench.start(args);
    await running.saw('"title":"begun"');
    const states = async () => {
      const table = (await bench.call(['sessions'])).stdout.split(/ {2,}/)[2];
      const [line = ''] = linesOf((await bench.call(['sessions', '--json'])).stdout);
      const shown = JSON.parse((await bench.call(['show', 'last', '--json'])).stdout);
      return [table, JSON.parse(line).state, shown.state];
    };
    expect(await states()).toEqual(['running', 'running', 'running']);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await states()).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect((await bench.call(['show', 'last'])).stdout).toMatch(/status +interrupted/);
  });

  it('explains how to start the first one', async () => {
    await using bench = await Bench.open();
    expect(await bench.call(['sessions'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('longhaul run'),
    });
  });
});

describe('longhaul show', () => {
  it('finds a session by the beginning of its id, and prints no control characters', async () => {
    await using bench = await benchWithRuns('First');
    const [, line = ''] = linesOf((await bench.call(['sessions'])).stdout);
    const [prefix = ''] = line.split(' ');
    expect(prefix).toHaveLength(13);
    const { stdout, code } = await bench.call(['show', prefix]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/m1 user\nFirst\n\nm2 assistant\nIt is \[31mdone\[0m\.\n/);
  });

  it('names the remedy if no session or several sessions match', async () => {
    await using bench = await benchWithRuns('First', 'Second');
    const missing = await bench.call(['show', 'ffff']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain(
      'No session has an id that begins with "ffff". longhaul sessions --all lists',
    );
    const first = '01';
    const several = await bench.call(['show', first]);
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/The ids of 2 sessions begin with "01"/);
  });
});

describe('longhaul export', () => {
  it('writes the whole session, in a format with a version', async () => {
    await using bench = await benchWithRuns('First');
    const { stdout, code } = await bench.call(['export', 'last']);
    expect(code).toBe(0);
    const whole = JSON.parse(stdout);
    expect(whole).toMatchObject({
      format: 'longhaul-session',
      version: 1,
      session: { task: 'First' },
      messages: [{ role: 'user' }, { role: 'assistant' }],
      marks: [],
      queue: [],
      damaged: [],
    });
    expect(whole.events.map((event: { number: number }) => event.number)).toEqual(
      whole.events.map((_: unknown, index: number) => index + 1),
    );
    expect(whole.runs).toHaveLength(1);
  });
});
