import { expect, test } from 'vitest';
import { recordSession } from './recorded-session.ts';
import { sessionFacts } from './session-facts.ts';
import { filler, messagesOf, type SessionItem } from './test-support/recorded.ts';

function needsOf(items: SessionItem[]) {
  const { facts, needs } = sessionFacts(recordSession(messagesOf(items)));
  return needs.map((step) => step.map(({ fact, isFar }) => [facts[fact]?.text, isFar]));
}

test('a step needs the facts in its arguments that an earlier event contains', () => {
  expect(needsOf(['read src/app.ts', { calls: [[{ path: 'src/app.ts', at: 'src/new.ts' }, 'ok']] }])).toEqual(
    [[['src/app.ts', false]]],
  );
});

test('the text of the step itself is not an earlier event', () => {
  expect(needsOf(['go', { say: 'I open src/app.ts', calls: [[{ path: 'src/app.ts' }, 'ok']] }])).toEqual([
    [],
  ]);
});

test('a step needs a fact once, even if several calls contain it', () => {
  const calls: [{ path: string }, string][] = [
    [{ path: 'src/app.ts' }, 'a'],
    [{ path: 'src/app.ts' }, 'b'],
  ];
  expect(needsOf(['src/app.ts', { calls }])).toEqual([[['src/app.ts', false]]]);
});

test('a fact is far if more than 20,000 tokens follow its last mention', () => {
  // An event counts ⌊characters / 4⌋ + 4 tokens.
  const exactly = 'x'.repeat((20_000 - 4) * 4);
  const use: SessionItem = { calls: [[{ path: 'src/app.ts' }, 'ok']] };
  expect(needsOf(['src/app.ts', exactly, use])).toEqual([[['src/app.ts', false]]]);
  expect(needsOf(['src/app.ts', `${exactly}xxxx`, use])).toEqual([[['src/app.ts', true]]]);
});

test('a mention inside a longer name keeps a fact near', () => {
  const items = [
    'src/app',
    filler(21_000),
    'src/app.ts',
    { calls: [[{ path: 'src/app' }, 'ok']] } as SessionItem,
  ];
  expect(needsOf(items)).toEqual([[['src/app', false]]]);
});

test('consecutive assistant messages are one step, and a result ends it', () => {
  const items: SessionItem[] = ['go', { say: 'thinking' }, { calls: [[{ a: 1 }, 'r']] }, { say: 'done' }];
  expect(recordSession(messagesOf(items)).steps).toEqual([
    { firstEvent: 1, endEvent: 3, messageIndex: 1 },
    { firstEvent: 4, endEvent: 5, messageIndex: 3 },
  ]);
});

test('a fact comes from the file of the call that first showed it; a path or a fact from a user has no file', () => {
  const items: SessionItem[] = [
    'use toldName',
    { calls: [[{ path: 'src/app.ts' }, 'const shownName; see src/other.ts']] },
    { calls: [[{ path: 'src/other.ts' }, 'shownName again']] },
    { calls: [[{ command: 'grep toldName shownName src/other.ts' }, '']] },
  ];
  const { facts } = sessionFacts(recordSession(messagesOf(items)));
  const file = (text: string) => facts.find((fact) => fact.text === text)?.file;
  expect(file('shownName')).toBe('src/app.ts');
  expect(file('toldName')).toBeUndefined();
  expect(file('src/other.ts')).toBeUndefined();
});
