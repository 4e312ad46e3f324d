import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { type StatusFacts, statusBar } from './status-bar.ts';

const FACTS: StatusFacts = {
  model: 'openrouter/anthropic/claude-sonnet-4.5',
  folder: '~/projects/flashcards',
  fill: { tokens: 31_000, windowTokens: 200_000, triggerTokens: 160_000 },
  cost: 1.25,
  tokens: 1_200_000,
  hint: 'Esc stops',
  isHintNeeded: true,
};
const page = (columns: number) => ({ columns, paint: createPaint(false) });

it.each([20, 40, 60, 80, 120])('says how to stop at %d columns', (columns) => {
  const line = statusBar(FACTS, page(columns));
  expect(line).toContain('Esc stops');
  expect(line.length).toBeLessThanOrEqual(columns);
});

it('leaves out the least important first', () => {
  const idle = { ...FACTS, hint: '/ commands', isHintNeeded: false };
  expect(statusBar(idle, page(140))).toBe(
    'openrouter/anthropic/claude-sonnet-4.5 · ctx 16 % · 129k until compaction · 1.2M tokens · $1.25 · ~/projects/flashcards · / commands',
  );
  expect(statusBar(idle, page(80))).toBe(
    'openrouter/anthropic/claude-sonnet-4.5 · ctx 16 % · 129k until compaction',
  );
});
