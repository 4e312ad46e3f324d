import { expect, it } from 'vitest';
import type { SubtaskOutcome } from '../ports/subtasks.ts';
import { describeOutcome } from './describe-outcome.ts';

const outcome = (more: Partial<SubtaskOutcome>): SubtaskOutcome => ({
  facts: { sessionId: 'child', agent: 'general', state: 'completed', steps: 1 },
  text: '',
  files: [],
  failedCommands: [],
  ...more,
});
const WHERE = '[1 step by general. To search its log: recall with a query and handle "m2.0".]';

it('says that there is no last text, instead of announcing one', () => {
  const problem = 'The server said: "broken"';
  expect(describeOutcome(outcome({ problem }), 'm2.0').split('\n')).toEqual([
    '[The task did not complete: The server said: "broken"',
    'It gave no answer.]',
    WHERE,
  ]);
  expect(describeOutcome(outcome({ problem, text: 'So far.' }), 'm2.0').split('\n')).toEqual([
    '[The task did not complete: The server said: "broken"',
    'What follows is its last text.]',
    'So far.',
    WHERE,
  ]);
});

it('says of a task that completed without a text that it gave no answer', () => {
  expect(describeOutcome(outcome({}), 'm2.0').split('\n')).toEqual(['[It gave no answer.]', WHERE]);
});
