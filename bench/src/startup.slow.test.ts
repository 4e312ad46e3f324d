import { expect, it } from 'vitest';
import { benchStartup } from './startup.ts';

/**
 * The test shows that every measurement works. Storing 20,000 messages takes longer than all measurements. Three rounds,
 * because the median of the peaks is checked.
 */
const SMALL = {
  rounds: 3,
  chat: { rounds: 1, turns: 3, messages: 200, echoes: 10, idleSeconds: 1, pauseSeconds: 1 },
};

it('runs the command in its own workspace', { timeout: 900_000 }, async () => {
  const { rows, summary } = await benchStartup(SMALL);
  expect(rows.map(({ label }) => label)).toEqual([
    'node -e 0',
    'longhaul --help',
    'longhaul run, one short answer',
    'longhaul chat, to the prompt',
    'longhaul chat, 200 messages, to the end shown',
    'a key to its echo at 200 deltas/s, p95',
    'an idle chat, in a second',
    'a chat after its start',
    'a chat right after 3 turns',
    'a chat after 3 turns, when it is idle',
  ]);
  for (const name of ['promptMs', 'longMs', 'echoP95Ms', 'startMb', 'busyMb', 'turnsMb'])
    expect(summary[name], name).toBeGreaterThan(0);
  expect(summary['runPeakMb']).toBeLessThan(130);
});
