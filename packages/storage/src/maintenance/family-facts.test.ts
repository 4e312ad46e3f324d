import { expect, it } from 'vitest';
import { familyFacts } from './family-facts.ts';
import type { SessionFacts } from './session-facts.ts';

function facts(id: string, updatedAt: number, more: Partial<SessionFacts> = {}): SessionFacts {
  return {
    id,
    parentId: undefined,
    title: id,
    updatedAt,
    bytes: 10,
    isLeased: false,
    isLive: false,
    waiting: 0,
    ...more,
  };
}

it('counts a session and its descendants as one, used when the last of them was used', () => {
  const families = familyFacts([
    facts('parent', 1),
    facts('child', 2, { parentId: 'parent', waiting: 1 }),
    facts('other', 3),
    facts('grandchild', 4, { parentId: 'child', isLive: true, isLeased: true }),
    facts('orphan', 5, { parentId: 'gone' }),
  ]);
  expect(families).toEqual([
    { ...facts('other', 3), members: ['other'] },
    {
      ...facts('parent', 4, { bytes: 30, waiting: 1, isLive: true, isLeased: true }),
      members: ['parent', 'child', 'grandchild'],
    },
    { ...facts('orphan', 5, { parentId: 'gone' }), members: ['orphan'] },
  ]);
});
