import type { DriveSession, ResumeResult, Runtime } from '@longhaul/core';
import { currentClaimant } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import pino from 'pino';
import { expect, it } from 'vitest';
import { DispatchedRuns } from './dispatched-runs.ts';

/** A session, and what the queue calls for it. `resume` is what the runtime does. */
async function taken(resume: () => Promise<object>) {
  const store = createMemoryStore();
  const session = { id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };
  await store.createSession(session);
  const drives: DriveSession[] = [];
  let resumed = 0;
  const countedResume = async (): Promise<ResumeResult> => {
    resumed += 1;
    return (await resume()) as ResumeResult;
  };
  const runs = new DispatchedRuns({
    store,
    runtime: { resume: countedResume } as Partial<Runtime> as Runtime,
    log: pino({ level: 'silent' }),
    dispatcher: {
      machine: 'here',
      request: async () => {},
      prioritise: async () => {},
      pause: () => {},
      resume: () => {},
      withdraw: async () => false,
      isRequested: async () => false,
      positions: async () => new Map(),
      counts: async () => ({ waiting: 0, driven: 0 }),
      take: async (drive) => void drives.push(drive),
      leave: async () => {},
    },
  });
  await runs.take();
  const [drive] = drives;
  if (drive === undefined) throw new Error('Nothing is taken.');
  return { store, runs, drive, resumed: () => resumed };
}

const failsWith = (code: ConstructorParameters<typeof LonghaulError>[0]) => async () => {
  throw new LonghaulError(code, 'no');
};

it('says what follows from how a run ended', async () => {
  const outcome = async (resume: () => Promise<object>) =>
    (await taken(resume)).drive('s', { isRepeated: false });
  expect(await outcome(async () => ({ status: 'completed' }))).toBe('done');
  expect(await outcome(async () => ({ status: 'nothing' }))).toBe('done');
  expect(await outcome(failsWith('key_missing'))).toBe('done');
  expect(await outcome(failsWith('session_not_found'))).toBe('done');
  expect(await outcome(failsWith('session_busy'))).toBe('held');
  expect(await outcome(failsWith('interrupted'))).toBe('left');
  expect(await outcome(failsWith('lease_lost'))).toBe('left');
  expect(await outcome(failsWith('processes_left'))).toBe('blocked');
  const unstored = { status: 'failed', error: new LonghaulError('store_unavailable', 'gone') };
  await expect(outcome(async () => unstored)).rejects.toMatchObject({ code: 'store_unavailable' });
});

it('continues what a dead process left, but not while another one works on it, and not after a cancel', async () => {
  const { store, drive, resumed } = await taken(async () => ({ status: 'completed' }));
  const again = () => drive('s', { isRepeated: true });
  expect(await again()).toBe('done');
  const claim = { runId: 'r', ttlMs: 60_000, ...currentClaimant() };
  const { lease } = await store.acquireLease('s', claim);
  expect(await again()).toBe('held');
  expect(resumed()).toBe(0);
  const end = { onlyIfQueueEmpty: false, events: [] };
  await store.finishRun(lease, { status: 'interrupted', sessionStatus: 'active', ...end });
  expect(await again()).toBe('done');
  expect(resumed()).toBe(1);
  const { lease: second } = await store.acquireLease('s', { ...claim, runId: 'r2' });
  await store.finishRun(second, { status: 'cancelled', sessionStatus: 'cancelled', ...end });
  expect(await again()).toBe('done');
  expect(resumed()).toBe(1);
});

it('leaves sessions to others when the server stops', async () => {
  const { runs, drive, resumed } = await taken(async () => ({ status: 'completed' }));
  await runs.leave();
  expect(await drive('s', { isRepeated: false })).toBe('left');
  expect(resumed()).toBe(0);
});
