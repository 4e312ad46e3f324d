import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';

/** A session of one turn whose steps write much and call a tool. */
async function benchWithWork(steps = 10) {
  const bench = await Bench.open();
  const { server, flags } = await bench.serve({
    script: ({ number, asksForSummary }) => {
      if (asksForSummary) return 'It lists folders, again and again.';
      if (number > steps) return 'Done.';
      const text = `Step ${number}: ${'thinking of a plan, '.repeat(150)}`;
      return { text, toolCalls: [{ name: 'glob', arguments: { pattern: `step-${number}*` } }] };
    },
  });
  await bench.run(['run', 'List, and never touch the schema.', '--sandbox', 'local', '-q', ...flags]);
  return { bench, server, flags };
}

describe('longhaul context', () => {
  it('shows a bar for each share, in 80 columns, and the shares as JSON', async () => {
    const { bench } = await benchWithWork();
    await using _bench = bench;
    const { stdout, code } = await bench.call(['context', 'last']);
    expect(code).toBe(0);
    for (const label of [
      'system text',
      'tool schemas',
      'user messages',
      'model’s text',
      'free',
      'for the answer',
    ])
      expect(stdout).toMatch(new RegExp(`^${label} +[█▏▎▍▌▋▊▉]+ +[0-9.]+k? +\\d+ %$`, 'm'));
    expect(stdout).toMatch(/^▓+░+┃░+ {2}\d+ % {2}[0-9.]+k of 16k$/m);
    expect(stdout).toMatch(/^next +compaction 1 at 12k, in [0-9.]+k? tokens$/m);
    for (const line of linesOf(stdout)) expect(line.length).toBeLessThanOrEqual(80);
    const report = JSON.parse((await bench.call(['context', 'last', '--json'])).stdout);
    expect(report).toMatchObject({
      strategy: 'reactive-overflow',
      window: { source: 'last-run', windowTokens: 16_000 },
      messages: { hidden: 0 },
    });
    const sum = Object.values<number>(report.shares).reduce((total, share) => total + share);
    expect(sum).toBe(report.tokens);
  });

  it('measures against another window with --window, and needs one session', async () => {
    const { bench } = await benchWithWork(1);
    await using _bench = bench;
    const { stdout } = await bench.call(['context', 'last', '--window', '1000000']);
    expect(stdout).toContain('of 1M');
    expect((await bench.call(['context'])).code).toBe(2);
    expect((await bench.call(['context', 'ffff'])).code).toBe(1);
    const bad = await bench.call(['context', 'last', '--window', 'big']);
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--window must be a whole number'),
    });
  });
});

describe('longhaul compact, undo, pin', () => {
  it('previews, compacts without a reachable model, pins, and undoes', async () => {
    const { bench, server } = await benchWithWork();
    await using _bench = bench;
    await server.close();
    const before = await bench.call(['context', 'last', '--json']);
    const preview = await bench.call(['compact', 'last', '--preview']);
    expect(preview.stdout).toMatch(
      /^◇ would compact [0-9.]+k → [0-9.]+k tokens \(reactive-overflow, round 1\)\n/,
    );
    expect(preview.stdout).toMatch(/^hides +\d+ messages: m2–m\d+$/m);
    expect(preview.stdout).not.toContain('It lists folders');
    expect((await bench.call(['context', 'last', '--json'])).stdout).toBe(before.stdout);

    const made = await bench.call(['compact', 'last', '--json']);
    const result = JSON.parse(made.stdout);
    expect(result).toMatchObject({ status: 'compacted', round: 1 });
    expect(result.warnings).toEqual([expect.stringContaining('No narrative')]);
    expect((await bench.call(['context', 'last'])).stdout).toMatch(
      /^hidden +\d+ messages by round 1: m2–m\d+ +manual,/m,
    );

    const pinned = await bench.call(['pin', 'last', 'm2']);
    expect(pinned.stdout).toMatch(/^Pinned m2\. The model sees it again\.\nassistant: Step 1: /);
    expect((await bench.call(['context', 'last'])).stdout).toMatch(/^pinned +m2 assistant: Step 1/m);
    expect((await bench.call(['show', 'last'])).stdout).toMatch(/^m2 assistant pinned$/m);
    expect((await bench.call(['unpin', 'last', 'm2', '--json'])).stdout).toContain('"changed":true');
    const missing = await bench.call(['pin', 'last', 'm99']);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('messages are m1 to m13') });

    const undone = await bench.call(['undo', 'last']);
    expect(undone.stdout).toMatch(/^Compaction 1 is undone: the model sees \d+ messages again\.\n/);
    const after = JSON.parse((await bench.call(['context', 'last', '--json'])).stdout);
    expect(after).toEqual({ ...JSON.parse(before.stdout), isTriggerRaised: true });
    expect((await bench.call(['undo', 'last'])).stdout).toContain('Nothing to undo');

    const { flags } = await bench.serve({ script: () => 'Done.' });
    const again = await bench.run([
      'run',
      'Once more.',
      '--session',
      'last',
      '--json',
      '--sandbox',
      'local',
      ...flags,
    ]);
    expect(eventsOf(again).filter((event) => event.type === 'context:compressed')).toEqual([]);
  });

  it('uses the session’s model for a narrative if it can be reached', async () => {
    await using bench = await Bench.open();
    const { server } = await bench.serve({
      script: ({ number, asksForSummary }) => {
        if (asksForSummary) return 'It lists folders, again and again.';
        if (number > 10) return 'Done.';
        const text = `Step ${number}: ${'thinking of a plan, '.repeat(150)}`;
        return { text, toolCalls: [{ name: 'glob', arguments: { pattern: `step-${number}*` } }] };
      },
    });
    const provider = `{ kind: openai-compatible, baseUrl: "${server.url}" }`;
    await writeFile(bench.userFile, `model: mine/scripted\nproviders: { mine: ${provider} }\n`);
    await bench.run(['run', 'List.', '--sandbox', 'local', '-q']);
    const result = JSON.parse((await bench.call(['compact', 'last', '--json'])).stdout);
    expect(result).toMatchObject({
      status: 'compacted',
      summary: { narrative: 'It lists folders, again and again.' },
      warnings: [],
    });
    expect((await bench.call(['context', 'last'])).stdout).toMatch(/^narrative +[█▏▎▍▌▋▊▉]+ +\d+ +\d %$/m);
  });

  it('succeeds if there is little to save, and fails for an unknown strategy', async () => {
    const { bench } = await benchWithWork(1);
    await using _bench = bench;
    expect(await bench.call(['compact', 'last'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('would save too little'),
    });
    const bad = await bench.call(['compact', 'last', '--strategy', 'best']);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('reactive-overflow') });
  });

  it('lets the run compact a busy session, and refuses other changes', async () => {
    await using bench = await Bench.open();
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { flags } = await bench.serve({
      script: async ({ number }) => {
        if (number === 9) {
          reached.resolve();
          await goOn.promise;
        }
        if (number > 10) return 'Done.';
        const text = `Step ${number}: ${'thinking of a plan, '.repeat(150)}`;
        return { text, toolCalls: [{ name: 'glob', arguments: { pattern: `step-${number}*` } }] };
      },
    });
    const run = bench.start(['run', 'List.', '--sandbox', 'local', '--json', ...flags]);
    await reached.promise;
    expect(await bench.call(['compact', 'last'])).toMatchObject({
      code: 0,
      stdout: 'A run works on this session. It compacts before its next step.\n',
    });
    const undo = await bench.call(['undo', 'last']);
    expect(undo).toMatchObject({ code: 1, stderr: expect.stringContaining('Wait until that run has ended') });
    goOn.resolve();
    const events = eventsOf(await run.ended);
    expect(events.filter((event) => event.type === 'context:compressed')).toMatchObject([
      { reason: 'manual' },
    ]);
    expect(events.find((event) => event.type === 'run:finished')).toMatchObject({ status: 'completed' });
  });
});
