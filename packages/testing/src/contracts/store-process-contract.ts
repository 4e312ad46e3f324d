import assert from 'node:assert/strict';
import type { NewProcess } from '@longhaul/core';
import type { ContractRunner } from './contract-runner.ts';
import { heldSession, newSession, type OpenStore, OWNER, refused } from './store-fixtures.ts';

const HERE = { host: 'here', bootId: 'boot-1' };
const WITHOUT_CONTAINER: NewProcess = {
  id: 'p1',
  command: 'make\n-j 2',
  place: {
    ...HERE,
    driver: 'bubblewrap',
    mark: 'mark-1',
    leader: { pid: 77, startedAt: '1234', namespace: '4026531836' },
    cgroups: ['/sys/fs/cgroup/memory/a', '/sys/fs/cgroup/pids/a'],
  },
};
const IN_CONTAINER: NewProcess = {
  id: 'p2',
  command: 'npm test',
  place: { ...HERE, driver: 'docker', mark: 'mark-2', container: 'longhaul-2' },
};

export function processContract({ it }: ContractRunner, open: OpenStore): void {
  it('stores where the processes of a run can be found', async () => {
    let now = 5000;
    await using store = await open({ now: () => now });
    const lease = await heldSession(store);
    await store.recordProcess(lease, WITHOUT_CONTAINER);
    now += 10;
    await store.recordProcess(lease, IN_CONTAINER);
    const of = { sessionId: 's1', runId: lease.runId };
    assert.deepEqual(await store.listProcesses('s1'), [
      { ...WITHOUT_CONTAINER, ...of, startedAt: 5000 },
      { ...IN_CONTAINER, ...of, startedAt: 5010 },
    ]);
  });

  it('stores the first end of a process, without a lease', async () => {
    let now = 5000;
    await using store = await open({ now: () => now });
    const lease = await heldSession(store);
    await store.recordProcess(lease, WITHOUT_CONTAINER);
    await store.recordProcess(lease, IN_CONTAINER);
    now += 10;
    await store.endProcess('p1', 'killed');
    now += 10;
    await store.endProcess('p1', 'ended');
    await store.endProcess('absent', 'ended');
    const [first] = await store.listProcesses('s1');
    assert.deepEqual([first?.endedAt, first?.outcome], [5010, 'killed']);
    const left = await store.listProcesses('s1', { open: true });
    assert.deepEqual(
      left.map(({ id }) => id),
      ['p2'],
    );
  });

  it('refuses a process of a run that was replaced', async () => {
    await using store = await open();
    const old = await heldSession(store);
    const dead = { owner: OWNER, isAlive: () => false };
    await store.acquireLease('s1', { ...dead, runId: 'run-2', ttlMs: 1000 });
    await refused(store.recordProcess(old, WITHOUT_CONTAINER), 'lease_lost');
    assert.deepEqual(await store.listProcesses('s1'), []);
  });

  it('deletes the processes with their session, and copies none into a fork', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.recordProcess(lease, WITHOUT_CONTAINER);
    await store.forkSession('s1', newSession('s2'), { newId: () => 'copy', close: (part) => part });
    assert.deepEqual(await store.listProcesses('s2'), []);
    await store.deleteSession('s1');
    await refused(store.listProcesses('s1'), 'session_not_found');
  });
}
