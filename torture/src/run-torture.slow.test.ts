import assert from 'node:assert/strict';
import { isRequired } from '@longhaul/testing/machine';
import { it } from 'vitest';
import { LEAST_OF_EACH_CLIENT, LIFE_POINTS } from './drive/life-planner.ts';
import { commandLine, lifeLine, summaryOf } from './report.ts';
import { runTorture } from './run-torture.ts';

/**
 * A sample: each fault point, each way to stop a process and each way to kill a command strikes at least once, in about 70
 * processes. `npm run torture` kills as often as its flag says, also at later passings of a point.
 */
it('loses nothing and repeats no side effect when killed or stopped at every fault point, and beside commands that are killed', {
  timeout: 1_800_000,
}, async () => {
  const lives: string[] = [];
  const result = await runTorture({
    kills: 180,
    seed: 11,
    sessions: 2,
    isBrief: true,
    onCommand: (session, line) => void lives.push(commandLine(session, line, lives.length)),
    onLife: (session, outcome) => void lives.push(lifeLine(session, outcome, lives.length)),
  });
  const details = [...lives, ...result.defects.map(({ what }) => what), result.folder ?? ''].join('\n');
  assert.deepEqual(
    summaryOf(result),
    {
      kills: result.kills,
      lostMessages: 0,
      duplicateMessages: 0,
      orphanCalls: 0,
      repeatedSideEffects: 0,
      corruptions: 0,
      ...(result.clockSteps === undefined ? {} : { clockSteps: result.clockSteps }),
      frozen: result.frozen,
      clients: Object.fromEntries(result.clients),
      commands: Object.fromEntries(result.commands),
      completed: true,
    },
    details,
  );
  assert.deepEqual(new Set(result.struck.keys()), new Set(LIFE_POINTS), details);
  assert.ok(result.frozen >= 3, details);
  for (const [client, count] of result.clients)
    assert.ok(count >= LEAST_OF_EACH_CLIENT, `${client}: ${details}`);
  for (const [kind, { killed }] of result.commands) assert.ok(killed >= 2, `${kind}: ${details}`);
  if (isRequired('faketime')) assert.notEqual(result.clockSteps, undefined, 'faketime is required');
  assert.ok(result.clockSteps !== 0, details);
  assert.ok(result.figures.effects > 0 && result.figures.faults > 0 && result.figures.delivered > 1, details);
});
