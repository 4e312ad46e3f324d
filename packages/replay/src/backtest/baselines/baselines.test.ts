import { describe, expect, test } from 'vitest';
import { type ReplayMethod, windowOptions } from '../method.ts';
import { type RecordedSession, recordSession, type Segment, tokensOf } from '../recorded-session.ts';
import { messagesOf, type SessionItem } from '../test-support/recorded.ts';
import { dropOldest } from './drop-oldest.ts';
import { dropWithList } from './drop-with-list.ts';
import { everything } from './everything.ts';
import { maskThenDrop } from './mask-then-drop.ts';

/** Returns a text that starts with `start` and makes an event of `tokens` tokens. */
const sized = (tokens: number, start: string) => start.padEnd((tokens - 4) * 4, ' ');

/** A step with one call of about 10 tokens and a result of `tokens` tokens. */
const step = (name: string, tokens: number): SessionItem => ({
  calls: [[{ run: name.padEnd(12, '-') }, sized(tokens, name)]],
});

async function viewsOf(
  method: ReplayMethod,
  session: RecordedSession,
  windowTokens: number,
): Promise<Segment[][]> {
  const run = method.start(session, windowOptions(windowTokens));
  const views: Segment[][] = [];
  for (const step of session.steps) views.push([...(await run.viewBefore(step)).view]);
  return views;
}

/** Returns the first word of each segment, or `call` for a call. */
const outline = (view: readonly Segment[] | undefined) =>
  view?.map(({ kind, text }) => (kind === 'call' ? 'call' : text.split(/\s/)[0]));

const session = recordSession(
  messagesOf([
    sized(50, 'task'),
    step('one', 300),
    step('two', 300),
    step('three', 300),
    step('four', 100),
    { say: 'end' },
  ]),
);

test('everything sends all events before the step', async () => {
  const views = await viewsOf(everything, session, 100);
  expect(outline(views[2])).toEqual(['task', 'call', 'one', 'call', 'two']);
});

describe('dropping the oldest', () => {
  test('starts only when the view exceeds its share of the window', async () => {
    const views = await viewsOf(dropOldest({ from: 0.8, keep: 0.4 }), session, 1_300);
    // Before the fourth step: 50 + 3 × 310 tokens, under 1,040. Before the last: 110 more.
    expect(outline(views[3])).toEqual(['task', 'call', 'one', 'call', 'two', 'call', 'three']);
    // The last four events and the second step's result fit into 520 tokens. The result is dropped with its call.
    expect(outline(views[4])).toEqual(['task', 'call', 'three', 'call', 'four']);
  });

  test('shows the first user message once while it is among the newest events', async () => {
    const views = await viewsOf(dropOldest({ from: 0.01, keep: 1 }), session, 10_000);
    expect(outline(views[1])).toEqual(['task', 'call', 'one']);
  });

  test('drops results whose calls are dropped', async () => {
    const two: SessionItem = {
      calls: [
        [{ a: 1 }, sized(100, 'r1')],
        [{ b: 2 }, sized(100, 'r2')],
      ],
    };
    const views = await viewsOf(
      dropOldest({ from: 0.8, keep: 0.5 }),
      recordSession(messagesOf([sized(50, 'task'), two, { say: 'end' }])),
      230,
    );
    expect(outline(views[1])).toEqual(['task']);
  });
});

test('masking replaces old outputs by 12 tokens each when that frees a fifth of the window', async () => {
  const views = await viewsOf(maskThenDrop, session, 1_000);
  expect(outline(views[2])).toEqual(['task', 'call', '[old', 'call', 'two']);
  expect(views[2]?.[2]).toMatchObject({ tokens: 12, args: '{"run":"one---------"}' });
});

test('the list has recent calls and identifiers of dropped events, within its tokens', async () => {
  const items = [
    sized(50, 'task'),
    { calls: [[{ run: 'oldCommand' }, sized(800, 'droppedName otherName')]] } as SessionItem,
    step('new', 100),
    { say: 'end' },
  ];
  const views = await viewsOf(dropWithList(1_000), recordSession(messagesOf(items)), 1_000);
  const [, list] = views[2] ?? [];
  expect(list?.text.split('\n')).toEqual(
    ['{"run":"oldCommand"}', 'oldCommand', 'otherName', 'droppedName'].sort(byPlace(list?.text ?? '')),
  );
  expect(tokensOf(list === undefined ? [] : [list])).toBeLessThanOrEqual(1_004);
});

function byPlace(text: string): (left: string, right: string) => number {
  return (left, right) => text.indexOf(left) - text.indexOf(right);
}
