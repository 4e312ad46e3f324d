import type { Summarise, SummaryRequest } from '@longhaul/context/engine';
import { expect, test } from 'vitest';
import { engineMethod } from './engine-method.ts';
import { windowOptions } from './method.ts';
import { recordSession, type Segment, tokensOf } from './recorded-session.ts';
import { prepareSession, replaySession } from './replay-session.ts';
import { createStrategy } from './strategies.ts';
import { filler, messagesOf, type SessionItem } from './test-support/recorded.ts';

const WINDOW = 8_000;
const method = (summarise?: Summarise) =>
  engineMethod('reactive-overflow', {
    createStrategy: () => createStrategy('reactive-overflow'),
    summarise,
  });

const items: SessionItem[] = [
  'Fix retryAfter in src/client.ts',
  ...Array.from({ length: 24 }, (_, index): SessionItem => {
    const path = `src/part-${index}.ts`;
    return { say: `Now ${path}.`, calls: [[{ path }, `const value${index} = 1;\n${filler(700)}`]] };
  }),
];

test('makes views that fit, start with the task, and contain no later event', async () => {
  const session = recordSession(messagesOf(items));
  const run = method().start(session, windowOptions(WINDOW));
  for (const [index, step] of session.steps.entries()) {
    const { view, isExhausted } = await run.viewBefore(step);
    expect(isExhausted).toBeUndefined();
    expect(tokensOf(view)).toBeLessThanOrEqual(windowOptions(WINDOW).usableTokens);
    expect(view[0]?.text).toBe('Fix retryAfter in src/client.ts');
    expect(view.some(({ text }) => text.includes(`part-${index}.ts`))).toBe(false);
    if (index > 0) expect(view.some(({ text }) => text.includes(`part-${index - 1}.ts`))).toBe(true);
  }
});

test('gives the same result when a replay is repeated', async () => {
  const first = await replaySession(prepareSession(messagesOf(items)), method(), WINDOW);
  const again = await replaySession(prepareSession(messagesOf(items)), method(), WINDOW);
  expect({ ...again, milliseconds: 0 }).toEqual({ ...first, milliseconds: 0 });
  expect(first.tally.compactions).toBeGreaterThan(1);
  expect(first.tally.overflows).toBe(0);
});

test('reuses the segment of an unchanged message in later views', async () => {
  const session = recordSession(messagesOf(items.slice(0, 4)));
  const run = method().start(session, windowOptions(100_000));
  const views: Segment[][] = [];
  for (const step of session.steps) views.push([...(await run.viewBefore(step)).view]);
  expect(views[2]?.slice(0, views[1]?.length)).toEqual(views[1]);
  expect(views[2]?.[1]).toBe(views[1]?.[1]);
});

test('counts the input and output of a summary call, and shows the summary in the view', async () => {
  const requests: SummaryRequest[] = [];
  const summarise: Summarise = async (request) => {
    requests.push(request);
    return { status: 'ok', text: 'All parts were read in order.', finishedBy: 'stop' };
  };
  // Long texts, which pruning cannot shorten.
  const talk = Array.from(
    { length: 24 },
    (_, index): SessionItem => ({ say: filler(700), calls: [[{ index }, 'ok']] }),
  );
  const session = recordSession(messagesOf(['Talk', ...talk]));
  const run = method(summarise).start(session, windowOptions(WINDOW));
  let callTokens = 0;
  let last: readonly Segment[] = [];
  for (const step of session.steps) {
    const made = await run.viewBefore(step);
    callTokens += made.callTokens ?? 0;
    last = made.view;
  }
  expect(requests.length).toBeGreaterThan(0);
  expect(callTokens).toBeGreaterThan(requests.length * 100);
  expect(last.some(({ text }) => text.includes('All parts were read in order.'))).toBe(true);
});

test('counts and sends a view that cannot be made to fit', async () => {
  const session = prepareSession(messagesOf([filler(900), { say: 'a' }, filler(900), { say: 'b' }]));
  const { exhausted, tally } = await replaySession(session, method(), 40);
  expect(exhausted).toBeGreaterThan(0);
  expect(tally.overflows).toBe(exhausted);
});
