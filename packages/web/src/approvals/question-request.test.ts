import type { QuestionField } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { readFields } from './question-request.tsx';

const fields: QuestionField[] = [
  { name: 'who', label: 'Name', kind: 'text', choices: [], isRequired: true },
  { name: 'count', label: 'Count', kind: 'integer', choices: [], isRequired: false, initial: 1 },
];

it('reads the values of a question, with initial ones', () => {
  expect(readFields({ fields }, { who: 'Ada' })).toEqual({ content: { who: 'Ada', count: 1 } });
  expect(readFields({ fields }, { who: 'Ada', count: '3' })).toEqual({ content: { who: 'Ada', count: 3 } });
});

it('says which value is missing or wrong', () => {
  expect(readFields({ fields }, {})).toEqual({ problem: 'who needs a value.' });
  expect(readFields({ fields }, { who: 'Ada', count: 'x' })).toEqual({
    problem: 'count must be a whole number.',
  });
});
