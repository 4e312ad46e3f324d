import type { QuestionField } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { questionChoices } from './question-choices.ts';

const field = (more: Partial<QuestionField>): QuestionField => ({
  name: 'a',
  label: 'A',
  kind: 'text',
  choices: [],
  isRequired: true,
  ...more,
});

it.each<[string, QuestionField[], unknown]>([
  ['no field', [], [{}]],
  ['a yes or no', [field({ kind: 'boolean' })], [{ a: true }, { a: false }]],
  ['a choice', [field({ kind: 'choice', choices: ['x', 'y'] })], [{ a: 'x' }, { a: 'y' }]],
  ['an optional text', [field({ isRequired: false })], [{}]],
  [
    'an optional text beside a choice',
    [field({ name: 'b', isRequired: false }), field({ kind: 'boolean' })],
    [{ a: true }, { a: false }],
  ],
])('offers answers for %s, and declining', (_name, fields, contents) => {
  const choices = questionChoices({ server: 's', message: 'm', fields });
  expect(choices?.slice(0, -1).map(({ answer }) => answer.content)).toEqual(contents);
  expect(choices?.at(-1)?.answer.answer).toBe('deny');
});

it.each<[string, QuestionField[]]>([
  ['a text', [field({})]],
  ['two values', [field({ kind: 'boolean' }), field({ name: 'b', kind: 'boolean' })]],
])('cannot offer %s', (_name, fields) => {
  expect(questionChoices({ server: 's', message: 'm', fields })).toBeUndefined();
});
