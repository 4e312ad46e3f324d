import { expect, it } from 'vitest';
import { type DatedSession, firstDay } from './session-date.ts';

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

/** A session whose store has its first message on 1 May. */
function sessionWith(log: DatedSession['log']) {
  const reads: { after: number; limit: number }[] = [];
  const session: DatedSession = {
    log,
    async readMessages(page) {
      reads.push(page);
      return { messages: [{ createdAt: at('2026-05-01') }] };
    },
  };
  return { session, reads };
}

it('takes the day from the first message of the log without reading the store', async () => {
  const messages = [
    { sequence: 1, createdAt: at('2026-04-30') },
    { sequence: 2, createdAt: at('2026-05-02') },
  ];
  const { session, reads } = sessionWith({ messages, marks: [] });
  expect(await firstDay(session)).toBe('2026-04-30');
  expect(reads).toEqual([]);
});

it.each([
  ['is empty', { messages: [], marks: [] }],
  ['begins later', { messages: [{ sequence: 7, createdAt: at('2026-05-09') }], marks: [] }],
  [
    'has marks, which may hide its first message',
    { messages: [{ sequence: 1, createdAt: at('2026-04-30') }], marks: [{}] },
  ],
])('reads the oldest message from the store if the log %s', async (_, log) => {
  const { session, reads } = sessionWith(log);
  expect(await firstDay(session)).toBe('2026-05-01');
  expect(reads).toEqual([{ after: 0, limit: 1 }]);
});
