import { expect, test } from 'vitest';
import { recordSession } from './recorded-session.ts';
import { sessionFacts } from './session-facts.ts';
import { filler, messagesOf, type Told } from './test-support/recorded.ts';

function needsOf(told: Told[]) {
  const { facts, needs } = sessionFacts(recordSession(messagesOf(told)));
  return needs.map((step) => step.map(({ fact, isFar }) => [facts[fact]?.text, isFar]));
}

test('a step needs the facts of its arguments that stood in an earlier event', () => {
  expect(needsOf(['read src/app.ts', { calls: [[{ path: 'src/app.ts', at: 'src/new.ts' }, 'ok']] }])).toEqual(
    [[['src/app.ts', false]]],
  );
});

test('what the step itself says before its calls is no earlier event', () => {
  expect(needsOf(['go', { say: 'I open src/app.ts', calls: [[{ path: 'src/app.ts' }, 'ok']] }])).toEqual([
    [],
  ]);
});

test('a fact is needed once by a step, however often its calls name it', () => {
  const calls: [{ path: string }, string][] = [
    [{ path: 'src/app.ts' }, 'a'],
    [{ path: 'src/app.ts' }, 'b'],
  ];
  expect(needsOf(['src/app.ts', { calls }])).toEqual([[['src/app.ts', false]]]);
});

test('a fact is far when more than 20,000 tokens came after the event that mentioned it last', () => {
  // What the events in between count: ⌊characters / 4⌋ + 4.
  const exactly = 'x'.repeat((20_000 - 4) * 4);
  const use: Told = { calls: [[{ path: 'src/app.ts' }, 'ok']] };
  expect(needsOf(['src/app.ts', exactly, use])).toEqual([[['src/app.ts', false]]]);
  expect(needsOf(['src/app.ts', `${exactly}xxxx`, use])).toEqual([[['src/app.ts', true]]]);
});

test('a mention inside a longer name keeps a fact near', () => {
  const told = ['src/app', filler(21_000), 'src/app.ts', { calls: [[{ path: 'src/app' }, 'ok']] } as Told];
  expect(needsOf(told)).toEqual([[['src/app', false]]]);
});

test('consecutive assistant messages are one step; results end it', () => {
  const told: Told[] = ['go', { say: 'thinking' }, { calls: [[{ a: 1 }, 'r']] }, { say: 'done' }];
  expect(recordSession(messagesOf(told)).steps).toEqual([
    { firstEvent: 1, endEvent: 3, messageIndex: 1 },
    { firstEvent: 4, endEvent: 5, messageIndex: 3 },
  ]);
});

test('a fact comes from the file of the call that first showed it; a path, or a fact told by a user, from none', () => {
  const told: Told[] = [
    'use toldName',
    { calls: [[{ path: 'src/app.ts' }, 'const shownName; see src/other.ts']] },
    { calls: [[{ path: 'src/other.ts' }, 'shownName again']] },
    { calls: [[{ command: 'grep toldName shownName src/other.ts' }, '']] },
  ];
  const { facts } = sessionFacts(recordSession(messagesOf(told)));
  const file = (text: string) => facts.find((fact) => fact.text === text)?.file;
  expect(file('shownName')).toBe('src/app.ts');
  expect(file('toldName')).toBeUndefined();
  expect(file('src/other.ts')).toBeUndefined();
});
