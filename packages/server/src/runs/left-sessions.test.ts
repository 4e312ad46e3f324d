import type { RunRecord } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type LeftStore, leftSessions } from './left-sessions.ts';

/** Unfinished runs of these sessions, and what each is a child of. */
function storeWith(unfinished: readonly string[], parents: Readonly<Record<string, string>>) {
  const run = (sessionId: string): RunRecord => ({
    runId: `run of ${sessionId}`,
    sessionId,
    owner: { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' },
    startedAt: 0,
  });
  const store: LeftStore = {
    listUnfinishedRuns: async () => unfinished.map(run),
    listQueuedSessions: async () => [],
    leaseHolder: async () => undefined,
    listRuns: async (id) => [run(id)],
    getSession: async (id) => session(id, parents[id]),
  };
  return store;
}

const session = (id: string, parentId?: string): Session => ({
  id,
  parentId,
  createdAt: 0,
  updatedAt: 0,
  status: 'active',
  task: '',
  title: '',
  model: 'm',
  workspace: '/',
});

it('leaves out children whose parents are listed, at each depth', async () => {
  const parents = { child: 'parent', grandchild: 'child' };
  const store = storeWith(['grandchild', 'child', 'other', 'parent'], parents);
  expect((await leftSessions(store)).interrupted).toEqual(['other', 'parent']);
});

it('lists a child whose parent has ended: nothing else continues it', async () => {
  expect((await leftSessions(storeWith(['child'], { child: 'parent' }))).interrupted).toEqual(['child']);
});

it('does not list a cancelled session that was held between runs by a process that is dead', async () => {
  const store = storeWith(['child'], {});
  const lease = {
    sessionId: 'child',
    epoch: 8,
    runId: 'hold-1',
    expiresAt: 0,
    owner: { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' },
  };
  const held: LeftStore = {
    ...store,
    leaseHolder: async (_, claimant) => (claimant === undefined ? lease : undefined),
    getSession: async (id) => ({ ...session(id), status: 'cancelled' }),
  };
  expect(await leftSessions(held)).toEqual({ interrupted: [], waiting: [], elsewhere: [] });
  const run = {
    ...held,
    leaseHolder: async (_: string, claimant?: unknown) =>
      claimant === undefined ? { ...lease, runId: 'r' } : undefined,
  };
  expect((await leftSessions(run)).interrupted).toEqual(['child']);
});
