import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lacks } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';

describe('longhaul demo', () => {
  it('builds the application in a small window, runs its tests, and leaves nothing behind', async () => {
    await using bench = await Bench.open();
    const ended = await bench.run(['demo', '--json']);
    const lines = linesOf(ended.stdout);
    const outcome = JSON.parse(lines.at(-1) ?? '');
    expect(outcome).toEqual({
      status: 'completed',
      steps: expect.any(Number),
      compactions: expect.any(Number),
      overflows: 0,
      verified: true,
    });
    expect(outcome.compactions).toBeGreaterThanOrEqual(2);
    expect(ended.code).toBe(0);
    const events = eventsOf({ ...ended, stdout: lines.slice(0, -1).join('\n') });
    expect(events.at(-2)).toMatchObject({ type: 'run:finished', status: 'completed' });
    expect((await readdir(bench.root)).filter((name) => name.startsWith('longhaul-demo-'))).toEqual([]);
    // The bench itself made the folder of the user's file.
    expect(await readdir(bench.home, { recursive: true })).toEqual(['.config', '.config/longhaul']);
  }, 180_000);

  it('builds the same application with three children at once, and reports the context that they saved', async () => {
    await using bench = await Bench.open();
    const ended = await bench.run(['demo', '--children', '--json']);
    const lines = linesOf(ended.stdout);
    const outcome = JSON.parse(lines.at(-1) ?? '');
    expect(outcome).toMatchObject({ status: 'completed', overflows: 0, verified: true, children: 4 });
    expect(outcome.contextTokens).toBeLessThan(0.85 * outcome.alone.contextTokens);
    expect(outcome.compactions).toBeLessThan(outcome.alone.compactions);
    expect(ended.code).toBe(0);
    const events = eventsOf({ ...ended, stdout: lines.slice(0, -1).join('\n') });
    expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(1);
    const running = events.map(({ type }) =>
      type === 'subtask:started' ? 1 : type === 'subtask:finished' ? -1 : 0,
    );
    expect(
      Math.max(
        ...running.map((_, index) =>
          running.slice(0, index + 1).reduce<number>((sum, each) => sum + each, 0),
        ),
      ),
    ).toBe(3);
    expect((await readdir(bench.root)).filter((name) => name.startsWith('longhaul-demo-'))).toEqual([]);
  }, 300_000);

  it('runs without a sandbox, with a notice, if none opens', async ({ skip }) => {
    if (process.getuid?.() !== 0) return lacks('mount', 'only root can hide the installed bwrap', skip);
    await using bench = await Bench.open();
    // One that does not work hides the real one, for this command alone.
    const broken = join(bench.root, 'bwrap');
    await writeFile(broken, '#!/bin/sh\necho "No permissions to create a new namespace" >&2\nexit 1\n');
    await chmod(broken, 0o755);
    const hide = `for each in /usr/bin/bwrap /usr/local/bin/bwrap; do [ ! -e $each ] || mount --bind ${broken} $each; done`;
    const before = `exec unshare --mount bash -c '${hide}; exec "$0" "$@"' "$0" "$@"`;
    const running = bench.start(['demo'], { before, env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } });
    await running.saw('── 2 ─');
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toMatch(/The model is scripted[\s\S]*without\s+isolation[\s\S]*sandbox {2}local/);
  });
});
