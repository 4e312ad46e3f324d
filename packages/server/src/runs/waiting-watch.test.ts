import assert from 'node:assert/strict';
import { it } from 'vitest';
import { WaitingWatch } from './waiting-watch.ts';

function setUp() {
  let positions = new Map<string, number>();
  const reports: [string, number | undefined][] = [];
  const read = new Set<string>();
  const driven = new Set<string>();
  let reads = 0;
  const watch = new WaitingWatch({
    dispatcher: {
      positions: async () => {
        reads += 1;
        return positions;
      },
    },
    read: () => ({ isEmpty: read.size === 0, has: (id) => read.has(id) }),
    isDriven: async (id) => driven.has(id),
    report: (id, position) => reports.push([id, position]),
    onFailure: (error) => {
      throw error;
    },
  });
  return {
    watch,
    read,
    driven,
    reports,
    reads: () => reads,
    wait: (entries: Record<string, number>) => {
      positions = new Map(Object.entries(entries));
    },
  };
}

it('reports the positions of sessions that are read, and their changes', async () => {
  const { watch, read, reports, wait } = setUp();
  using _watch = watch;
  read.add('a');
  wait({ a: 2, other: 1 });
  await watch.look();
  assert.deepEqual(reports, []);
  await watch.look();
  await watch.look();
  wait({ a: 1 });
  await watch.look();
  assert.deepEqual(reports, [
    ['a', 2],
    ['a', 1],
  ]);
});

it('reports that a session gave its turn up, but not that its run began', async () => {
  const { watch, read, driven, reports, wait } = setUp();
  using _watch = watch;
  read.add('begins').add('ends');
  wait({ begins: 1, ends: 2 });
  await watch.look();
  await watch.look();
  driven.add('begins');
  wait({});
  await watch.look();
  assert.deepEqual(reports.slice(2), [['ends', undefined]]);
});

it('reads nothing while nobody reads events', async () => {
  const { watch, reads, wait } = setUp();
  using _watch = watch;
  wait({ a: 1 });
  await watch.look();
  assert.equal(reads(), 0);
});
