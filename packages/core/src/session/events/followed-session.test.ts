import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { FollowedSession } from './followed-session.ts';

const stored = (number: number): LonghaulEvent => ({ type: 'llm:thinking', sessionId: 's', at: 0, number });
const chunk = (content: string): LonghaulEvent => ({
  type: 'llm:chunk',
  sessionId: 's',
  at: 0,
  chunkType: 'text',
  content,
  messageId: 'm',
  partIndex: 0,
  offset: 0,
});

/** A log of which the first events are known, and what was told of it: numbers, and the text of chunks. */
async function following({ after, log = [], fails }: { after: number; log?: number[]; fails?: Error }) {
  const told: (number | string)[] = [];
  const followed = new FollowedSession({
    sessionId: 's',
    store: {
      lastEventNumber: async () => after,
      readEvents: async (_id, options = {}) => {
        if (fails !== undefined) throw fails;
        const { after: from = 0, limit = Number.POSITIVE_INFINITY } = options;
        return log
          .filter((number) => number > from)
          .slice(0, limit)
          .map(stored);
      },
    },
    tell: (event) => told.push(event.type === 'llm:chunk' ? event.content : (event.number ?? 0)),
  });
  await followed.settled();
  return { followed, told, log };
}

describe('a followed session', () => {
  it('tells at once what comes in its turn', async () => {
    const { followed, told } = await following({ after: 4 });
    for (const event of [stored(5), chunk('a'), stored(6)]) followed.take(event);
    expect(told).toEqual([5, 'a', 6]);
  });

  it('tells what another process has stored first, then what waited for it, with its chunks', async () => {
    const { followed, told } = await following({ after: 4, log: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    for (const event of [stored(7), chunk('a'), stored(9), chunk('b'), stored(5)]) followed.take(event);
    expect(told).toEqual([]);
    await followed.settled();
    expect(told).toEqual([5, 6, 7, 'a', 8, 9, 'b']);
  });

  it('tells more than a page of events, and each once', async () => {
    const log = Array.from({ length: 1_203 }, (_, index) => index + 1);
    const { followed, told } = await following({ after: 0, log });
    followed.take(stored(1_203));
    followed.look();
    followed.take(stored(7));
    await followed.settled();
    expect(told).toEqual(log);
  });

  it('looks again when there is news while it reads', async () => {
    const { followed, told, log } = await following({ after: 1, log: [1, 2] });
    followed.look();
    log.push(3);
    followed.look();
    await followed.settled();
    expect(told).toEqual([2, 3]);
  });

  it('lets late news of the time before pass', async () => {
    const { followed, told } = await following({ after: 4 });
    followed.take(stored(3));
    expect(told).toEqual([3]);
  });

  it('tells once what this process stores while it is looked up where it begins', async () => {
    const told: (number | undefined)[] = [];
    const last = Promise.withResolvers<number>();
    const followed = new FollowedSession({
      sessionId: 's',
      store: { lastEventNumber: () => last.promise, readEvents: async () => [stored(5), stored(6)] },
      tell: ({ number }) => told.push(number),
    });
    followed.take(stored(4));
    followed.take(stored(5));
    last.resolve(4);
    followed.look();
    await followed.settled();
    expect(told).toEqual([4, 5, 6]);
  });

  it('lets all pass where the session cannot be found', async () => {
    const told: (number | undefined)[] = [];
    const missing = new LonghaulError('session_not_found', 'gone');
    const followed = new FollowedSession({
      sessionId: 's',
      store: { lastEventNumber: () => Promise.reject(missing), readEvents: () => Promise.reject(missing) },
      tell: ({ number }) => told.push(number),
    });
    followed.take(stored(4));
    followed.look();
    await expect(followed.begun).rejects.toBe(missing);
    await followed.settled();
    expect(told).toEqual([4]);
  });

  it('holds nothing back when numbers are missing or the store cannot be read', async () => {
    const holes = await following({ after: 4, log: [1, 2, 3, 4, 8] });
    holes.followed.take(stored(8));
    await holes.followed.settled();
    expect(holes.told).toEqual([8]);
    const locked = await following({ after: 4, fails: new LonghaulError('store_unavailable', 'locked') });
    locked.followed.take(stored(8));
    locked.followed.take(chunk('a'));
    await locked.followed.settled();
    expect(locked.told).toEqual([8, 'a']);
  });
});
