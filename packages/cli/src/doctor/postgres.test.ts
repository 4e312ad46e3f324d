import { expect, it } from 'vitest';
import { serverChecks } from './postgres.ts';

const counts = (entries: Record<string, number>) => new Map(Object.entries(entries));

it('lists the machines whose servers drive sessions', () => {
  const facts = { machines: counts({ a: 2, b: 1 }), answering: 1, waiting: counts({ a: 5 }), abandoned: 0 };
  expect(serverChecks(facts)).toEqual([
    {
      name: 'servers',
      status: 'ok',
      detail: 'sessions are driven on a (2), b (1); 1 server only answers',
    },
  ]);
});

it('names sessions that wait for a machine without a server, and sessions that were left alone', () => {
  const facts = { machines: counts({}), answering: 0, waiting: counts({ gone: 2 }), abandoned: 1 };
  expect(serverChecks(facts)).toMatchObject([
    { status: 'ok', detail: 'no server drives sessions' },
    { status: 'missing', detail: '2 sessions wait for a server on gone' },
    { status: 'missing', detail: expect.stringMatching(/^1 session left alone/) },
  ]);
});
