import { ZERO_USAGE } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { expect, it } from 'vitest';
import { UsageTotal } from './usage-total.ts';

const VISIBILITY: ListedMessage['visibility'] = {
  handle: 'm2',
  isReverted: false,
  isPinned: false,
  prunedParts: [],
  cutParts: [],
  omittedParts: [],
};
const USAGE = {
  inputTokens: 1_000,
  outputTokens: 100,
  reasoningTokens: 0,
  cacheReadTokens: 400,
  cacheWriteTokens: 0,
  totalTokens: 1_100,
};

it('adds up steps, and names the share of reverted ones', () => {
  const total = new UsageTotal();
  total.add({ usage: USAGE, cost: 0.5, visibility: VISIBILITY });
  total.add({ visibility: VISIBILITY });
  expect(total.text()).toBe(
    '1 step · 1k in (400 from cache), 100 out · $0.50\nSummaries of compactions are not in this sum.',
  );
  total.add({ usage: USAGE, cost: 0.25, visibility: { ...VISIBILITY, isReverted: true } });
  expect(total.text().split('\n').slice(0, 2)).toEqual([
    '2 steps · 2k in (800 from cache), 200 out · $0.75',
    'Of these, in reverted messages: 1 step · $0.25',
  ]);
});

it('says that the cost is unknown where no price is', () => {
  const total = new UsageTotal();
  total.add({ usage: USAGE, visibility: { ...VISIBILITY, isReverted: true } });
  expect(total.text().split('\n').slice(0, 2)).toEqual([
    '1 step · 1k in (400 from cache), 100 out · cost unknown or zero',
    'Of these, in reverted messages: 1 step · cost unknown or zero',
  ]);
});

it('adds what child sessions have used as a line of its own', () => {
  const usage = { ...ZERO_USAGE, inputTokens: 1_200, outputTokens: 30 };
  expect(new UsageTotal().text({ sessions: 2, steps: 7, usage, cost: 0.25 })).toContain(
    '\nIn addition, by 2 child sessions: 7 steps · 1.2k in, 30 out · $0.25\n',
  );
});
