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

/** Follows a session with this log. `emitted` has the numbers of the emitted events, and the text of chunks. */
async function following({ after, log = [], fails }: { after: number; log?: number[]; fails?: Error }) {
  const emitted: (number | string)[] = [];
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
    emit: (event) => emitted.push(event.type === 'llm:chunk' ? event.content : (event.number ?? 0)),
  });
  await followed.settled();
  return { followed, emitted, log };
}

describe('a followed session', () => {
  it('emits events in order at once', async () => {
    const { followed, emitted } = await following({ after: 4 });
    for (const event of [stored(5), chunk('a'), stored(6)]) followed.take(event);
    expect(emitted).toEqual([5, 'a', 6]);
  });

  it('emits the events of another process before later local events and chunks', async () => {
    const { followed, emitted } = await following({ after: 4, log: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    for (const event of [stored(7), chunk('a'), stored(9), chunk('b'), stored(5)]) followed.take(event);
    expect(emitted).toEqual([]);
    await followed.settled();
    expect(emitted).toEqual([5, 6, 7, 'a', 8, 9, 'b']);
  });

  it('emits more than a page of events, each once', async () => {
    const log = Array.from({ length: 1_203 }, (_, index) => index + 1);
    const { followed, emitted } = await following({ after: 0, log });
    followed.take(stored(1_203));
    followed.checkStore();
    followed.take(stored(7));
    await followed.settled();
    expect(emitted).toEqual(log);
  });

  it('reads again if the store changes during a read', async () => {
    const { followed, emitted, log } = await following({ after: 1, log: [1, 2] });
    followed.checkStore();
    log.push(3);
    followed.checkStore();
    await followed.settled();
    expect(emitted).toEqual([2, 3]);
  });

  it('passes a late event from before it began', async () => {
    const { followed, emitted } = await following({ after: 4 });
    followed.take(stored(3));
    expect(emitted).toEqual([3]);
  });

  it('emits an event once if this process stores it before `begun` resolves', async () => {
    const emitted: (number | undefined)[] = [];
    const last = Promise.withResolvers<number>();
    const followed = new FollowedSession({
      sessionId: 's',
      store: { lastEventNumber: () => last.promise, readEvents: async () => [stored(5), stored(6)] },
      emit: ({ number }) => emitted.push(number),
    });
    followed.take(stored(4));
    followed.take(stored(5));
    last.resolve(4);
    followed.checkStore();
    await followed.settled();
    expect(emitted).toEqual([4, 5, 6]);
  });

  it('passes all events if the session is not found', async () => {
    const emitted: (number | undefined)[] = [];
    const missing = new LonghaulError('session_not_found', 'gone');
    const followed = new FollowedSession({
      sessionId: 's',
      store: { lastEventNumber: () => Promise.reject(missing), readEvents: () => Promise.reject(missing) },
      emit: ({ number }) => emitted.push(number),
    });
    followed.take(stored(4));
    followed.checkStore();
    await expect(followed.begun).rejects.toBe(missing);
    await followed.settled();
    expect(emitted).toEqual([4]);
  });

  it('emits events if numbers are missing or the store cannot be read', async () => {
    const gaps = await following({ after: 4, log: [1, 2, 3, 4, 8] });
    gaps.followed.take(stored(8));
    await gaps.followed.settled();
    expect(gaps.emitted).toEqual([8]);
    const locked = await following({ after: 4, fails: new LonghaulError('store_unavailable', 'locked') });
    locked.followed.take(stored(8));
    locked.followed.take(chunk('a'));
    await locked.followed.settled();
    expect(locked.emitted).toEqual([8, 'a']);
  });
});
