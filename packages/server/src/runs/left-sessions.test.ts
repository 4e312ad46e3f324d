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
    listRuns: async () => [],
    getSession: async (id) => {
      const parentId = parents[id];
      return parentId === undefined ? undefined : session(id, parentId);
    },
  };
  return store;
}

const session = (id: string, parentId: string): Session => ({
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
