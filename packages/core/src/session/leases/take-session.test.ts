import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import { newHoldId, newId } from '../ids.ts';
import { interrupted } from '../runs/interruption.ts';
import { drivingRun, takeSession } from './take-session.ts';

async function heldStore(runId: string) {
  const store = createMemoryStore();
  await store.createSession({ id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const lease = await takeSession(store, 's', { runId, patienceMs: 0 });
  const release = () =>
    store.finishRun(lease, {
      status: 'completed',
      sessionStatus: 'active',
      onlyIfQueueEmpty: false,
      events: [],
    });
  return { store, release };
}

const unlimited = Number.POSITIVE_INFINITY;

it('waits for work between runs', async () => {
  const { store, release } = await heldStore(newHoldId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: unlimited });
  await release();
  expect((await taking).epoch).toBe(2);
});

it('does not wait for a run', async () => {
  const { store } = await heldStore(newId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: unlimited });
  await expect(taking).rejects.toMatchObject({ code: 'session_busy' });
});

it('throws session_busy with the holder after patienceMs', async () => {
  const { store } = await heldStore(newHoldId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: 20 });
  await expect(taking).rejects.toMatchObject({ code: 'session_busy', data: { pid: process.pid } });
});

it('throws cancelled on the signal, and interrupted when the program stops', async () => {
  const { store } = await heldStore(newHoldId());
  const [caller, program] = [new AbortController(), new AbortController()];
  const waiting = [caller, program].map(({ signal }) =>
    takeSession(store, 's', { runId: newId(), patienceMs: unlimited, signal }),
  );
  caller.abort();
  program.abort(interrupted());
  await expect(waiting[0]).rejects.toMatchObject({ code: 'cancelled' });
  await expect(waiting[1]).rejects.toMatchObject({ code: 'interrupted' });
});

it('does not return work between runs as the driving run', async () => {
  expect(await drivingRun((await heldStore(newHoldId())).store, 's')).toBeUndefined();
  expect(await drivingRun((await heldStore('r')).store, 's')).toMatchObject({ runId: 'r' });
});
