import type { LonghaulClient } from '@longhaul/client';
import { LonghaulError } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { describe, expect, it } from 'vitest';
import { sessionInfo } from '../session-info.fixture.ts';
import { type FamilyNode, familyNode, originOf, readFamily } from './family.ts';

const fork = (id: string, of: string, createdAt: number, at?: number) =>
  sessionInfo({
    id,
    createdAt,
    metadata: { forkedFrom: { sessionId: of, ...(at !== undefined && { at }) } },
  });

const shape = ({ session, at, forks }: FamilyNode): unknown => [session.id, at, ...forks.map(shape)];

function clientWith(sessions: SessionInfo[]): {
  client: Pick<LonghaulClient, 'sessions'>;
  pages: () => number;
} {
  let pages = 0;
  const newest = sessions.toSorted((a, b) => b.createdAt - a.createdAt);
  const calls = {
    get: async (id: string) => {
      const found = sessions.find((session) => session.id === id);
      if (found === undefined) throw new LonghaulError('session_not_found', 'No such session.');
      return found;
    },
    list: async ({ limit, before }: { limit: number; before?: string }) => {
      pages += 1;
      const start = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1;
      const page = newest.slice(start, start + limit);
      return { sessions: page, ...(start + limit < newest.length && { next: page.at(-1)?.id }) };
    },
  };
  return { client: { sessions: calls } as unknown as Pick<LonghaulClient, 'sessions'>, pages: () => pages };
}

const { signal } = new AbortController();

describe('readFamily', () => {
  const family = [
    sessionInfo({ id: 'root', createdAt: 10 }),
    fork('a', 'root', 20, 4),
    fork('b', 'root', 30),
    fork('a1', 'a', 40, 8),
  ];

  it.each(['root', 'a', 'a1', 'b'])('finds the whole family from %s', async (id) => {
    const { root, isOriginGone } = await readFamily(clientWith(family).client, id, signal);
    expect(shape(root)).toEqual(['root', undefined, ['a', 4, ['a1', 8]], ['b', undefined]]);
    expect(isOriginGone).toBe(false);
  });

  it('begins with the oldest session that is left', async () => {
    const { root, isOriginGone } = await readFamily(clientWith(family.slice(1)).client, 'a1', signal);
    expect(shape(root)).toEqual(['a', 4, ['a1', 8]]);
    expect(isOriginGone).toBe(true);
  });

  it('reads no sessions that are older than the family', async () => {
    const older = Array.from({ length: 900 }, (_, at) => sessionInfo({ id: `old${at}`, createdAt: -at }));
    const { client, pages } = clientWith([...older, ...family]);
    await readFamily(client, 'a1', signal);
    expect(pages()).toBe(1);
  });

  it('ends when sessions name each other as their origins', async () => {
    const { client } = clientWith([fork('x', 'y', 10), fork('y', 'x', 20), fork('self', 'self', 30)]);
    expect(shape((await readFamily(client, 'x', signal)).root)).toEqual(['y', undefined, ['x', undefined]]);
    expect(shape((await readFamily(client, 'self', signal)).root)).toEqual(['self', undefined]);
  });
});

describe('familyNode', () => {
  it('contains each session once', () => {
    const sessions = [fork('a', 'root', 1), fork('root', 'a', 2)];
    expect(shape(familyNode(sessionInfo({ id: 'root' }), sessions))).toEqual([
      'root',
      undefined,
      ['a', undefined],
    ]);
  });
});

describe('originOf', () => {
  it.each([[undefined], [null], ['s1'], [['s1']], [{}], [{ sessionId: 5 }]])('ignores %j', (forkedFrom) => {
    expect(originOf({ metadata: forkedFrom === undefined ? {} : { forkedFrom } })).toBeUndefined();
  });
});
