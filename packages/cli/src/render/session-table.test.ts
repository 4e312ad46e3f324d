import { ZERO_USAGE } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type ListedSession, sessionTable } from './session-table.ts';

const OPTIONS = { columns: 80, colors: false, now: 0, scope: undefined, home: '/home', hasOthers: false };

function listed(id: string, depth: number, more: Partial<ListedSession> = {}): ListedSession {
  return {
    id,
    createdAt: 0,
    updatedAt: 0,
    status: 'completed',
    state: 'completed',
    task: id,
    title: `Title of ${id}`,
    model: 'm',
    workspace: '/home/one',
    member: { depth, agent: 'explore', steps: 12, usage: { ...ZERO_USAGE, totalTokens: 48_000 }, cost: 0 },
    ...more,
  };
}

it('indents children below their parent, and gives similar ids in full', () => {
  const table = sessionTable(
    [
      listed('01a229e0-a5cd-7000-8000-000000000000', 0, { title: 'Parent' }),
      listed('01a229e0-a712-7001-8000-000000000000', 1, { title: 'First' }),
      listed('01a229e0-a712-7002-8000-000000000000', 1, { title: 'Second', workspace: '/tmp/copy' }),
      listed('01a229e0-a713-7003-8000-000000000000', 2, { title: 'Third' }),
    ],
    { ...OPTIONS, columns: 200 },
  );
  const figures = 'just now  completed    explore · 12 steps · 48k tokens';
  expect(table.split('\n')).toEqual([
    '~/one',
    `01a229e0-a5cd  ${figures}  Parent`,
    `  01a229e0-a712-7001  ${figures}  First`,
    `  01a229e0-a712-7002  ${figures}  Second`,
    `    01a229e0-a713  ${figures}  Third`,
    '',
  ]);
});

it('keeps lines without figures within the terminal', () => {
  const long = listed('01a229e0-a5cd', 0, { member: undefined, title: 'word '.repeat(40) });
  for (const line of sessionTable([long], OPTIONS).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

it('keeps lines of a family within the terminal: a title is worth more than tokens', () => {
  const id = '01a229e0-a712-7001-8000-000000000000';
  const sibling = '01a229e0-a712-7002-8000-000000000000';
  const family = [listed(id, 1), listed(sibling, 2)];
  for (const columns of [80, 200])
    for (const line of sessionTable(family, { ...OPTIONS, columns }).split('\n'))
      expect(line.length).toBeLessThanOrEqual(columns);
  expect(sessionTable(family, OPTIONS)).toContain('completed    explore · 12 steps  Title of');
});
