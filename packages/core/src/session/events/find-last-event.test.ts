import type { EventOf, EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { heldSession } from '@longhaul/testing/contracts';
import { expect, it } from 'vitest';
import { findLastEvent } from './find-last-event.ts';

it('finds the newest matching event after many others, and reads one page for a recent one', async () => {
  await using store = createMemoryStore();
  const lease = await heldSession(store);
  const say = (message: string, count: number) =>
    store.appendEvents(
      lease,
      Array.from({ length: count }, (): EventPayload => ({ type: 'context:warning', message })),
    );
  const usage = (tokens: number): EventPayload => ({
    type: 'context:usage',
    tokens,
    usableTokens: 9,
    windowTokens: 9,
  });
  const isUsage = (event: LonghaulEvent): event is EventOf<'context:usage'> => event.type === 'context:usage';
  const find = () => findLastEvent(store, lease.sessionId, isUsage);
  await say('before', 3);
  expect(await find()).toBeUndefined();
  await store.appendEvents(lease, [usage(1), usage(2)]);
  expect(await find()).toMatchObject({ tokens: 2 });
  await say('after', 3_000);
  expect(await find()).toMatchObject({ tokens: 2 });
  await store.appendEvents(lease, [usage(3)]);
  let read = 0;
  const counted = Object.create(store, {
    readEvents: {
      value: async (...args: Parameters<typeof store.readEvents>) => {
        const events = await store.readEvents(...args);
        read += events.length;
        return events;
      },
    },
  });
  expect(await findLastEvent(counted, lease.sessionId, isUsage)).toMatchObject({ tokens: 3 });
  expect(read).toBeLessThan(100);
});
