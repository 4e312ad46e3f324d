import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import { newHoldId, newId } from '../ids.ts';
import { interrupted } from '../runs/interruption.ts';
import { drivingRun, takeSession } from './take-session.ts';

async function heldStore(runId: string) {
  const store = createMemoryStore();
  await store.createSession({ id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const lease = await takeSession(store, 's', { runId, patienceMs: 0 });
  const giveBack = () =>
    store.finishRun(lease, {
      status: 'completed',
      sessionStatus: 'active',
      onlyIfQueueEmpty: false,
      events: [],
    });
  return { store, giveBack };
}

const forEver = Number.POSITIVE_INFINITY;

it('a run that meets a pin or a compaction between runs waits until it is over, and is not refused', async () => {
  const { store, giveBack } = await heldStore(newHoldId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: forEver });
  await giveBack();
  expect((await taking).epoch).toBe(2);
});

it('a run is never waited for', async () => {
  const { store } = await heldStore(newId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: forEver });
  await expect(taking).rejects.toMatchObject({ code: 'session_busy' });
});

it('who has waited long enough is told who holds the session', async () => {
  const { store } = await heldStore(newHoldId());
  const taking = takeSession(store, 's', { runId: newId(), patienceMs: 20 });
  await expect(taking).rejects.toMatchObject({ code: 'session_busy', data: { pid: process.pid } });
});

it('the waiting ends on its signal, and as an interruption when the program stops', async () => {
  const { store } = await heldStore(newHoldId());
  const [caller, program] = [new AbortController(), new AbortController()];
  const waiting = [caller, program].map(({ signal }) =>
    takeSession(store, 's', { runId: newId(), patienceMs: forEver, signal }),
  );
  caller.abort();
  program.abort(interrupted());
  await expect(waiting[0]).rejects.toMatchObject({ code: 'cancelled' });
  await expect(waiting[1]).rejects.toMatchObject({ code: 'interrupted' });
});

it('work between runs drives nothing: a message that is sent meanwhile would be taken by nobody', async () => {
  expect(await drivingRun((await heldStore(newHoldId())).store, 's')).toBeUndefined();
  expect(await drivingRun((await heldStore('r')).store, 's')).toMatchObject({ runId: 'r' });
});
