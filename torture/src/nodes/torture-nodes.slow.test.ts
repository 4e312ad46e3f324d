import assert from 'node:assert/strict';
import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { it } from 'vitest';
import { nodesSummary, tortureNodes } from './torture-nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');

/** A sample. `npm run torture -- --nodes 3` kills as often as its flag says. */
it.skipIf(isMissing)(
  'loses nothing and repeats nothing when servers of a cluster are killed',
  {
    timeout: 600_000,
  },
  async () => {
    const lines: string[] = [];
    const result = await tortureNodes({
      nodes: 2,
      kills: 4,
      seed: 3,
      sessions: 2,
      onEvent: (line) => lines.push(line),
    });
    const { tasks, effects, faultPoints: _points, takeOverMs: _times, ...summary } = nodesSummary(result);
    const details = [...lines, ...result.defects.map(({ what }) => what)].join('\n');
    assert.deepEqual(
      summary,
      {
        kills: 4,
        lostMessages: 0,
        duplicateMessages: 0,
        orphanCalls: 0,
        repeatedSideEffects: 0,
        corruptions: 0,
        completed: true,
      },
      details,
    );
    assert.ok(tasks > 0 && effects > 0, details);
  },
);
