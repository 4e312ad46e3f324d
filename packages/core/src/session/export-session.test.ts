import { LonghaulError } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import { exportSession } from './export-session.ts';

it('exports a family without a child that cannot be read, and names that child', async () => {
  await using store = createMemoryStore();
  const fields = { createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };
  await store.createSession({ ...fields, id: 'parent' });
  for (const id of ['good', 'bad']) await store.createSession({ ...fields, id, parentId: 'parent' });
  await store.createSession({ ...fields, id: 'grandchild', parentId: 'good' });
  const loadLog: typeof store.loadLog = async (id) => {
    if (id === 'bad') throw new LonghaulError('store_corrupt', 'The database is damaged.');
    return await store.loadLog(id);
  };
  const whole = await exportSession({ ...store, loadLog }, 'parent');
  expect(whole.children?.map(({ session }) => session.id)).toEqual(['good', 'grandchild']);
  expect(whole.damaged).toEqual([
    {
      table: 'sessions',
      id: 'bad',
      reason: 'this child session cannot be exported: The database is damaged.',
    },
  ]);
});
