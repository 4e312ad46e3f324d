import { describe, expect, it } from 'vitest';
import { checkContent, QUESTION_TOOL, type QuestionField, questionOf, readField } from './question.ts';

const field = (kind: QuestionField['kind'], more: Partial<QuestionField> = {}): QuestionField => ({
  name: 'a',
  label: 'A',
  kind,
  choices: ['Red', 'Blue'],
  isRequired: true,
  ...more,
});

describe('readField', () => {
  it.each<[QuestionField['kind'], string, unknown]>([
    ['text', '  two words ', 'two words'],
    ['number', '1.5', 1.5],
    ['integer', '7', 7],
    ['boolean', 'Yes', true],
    ['boolean', 'n', false],
    ['choice', 'red', 'Red'],
    ['choices', 'blue, Red', ['Blue', 'Red']],
  ])('reads %s from %j', (kind, typed, value) => {
    expect(readField(field(kind), typed)).toEqual({ ok: true, content: { a: value } });
  });

  it.each<[QuestionField['kind'], string, string]>([
    ['number', 'many', 'a must be a number.'],
    ['integer', '1.5', 'a must be a whole number.'],
    ['boolean', 'perhaps', 'a must be yes or no.'],
    ['choice', 'green', 'a must be one of Red, Blue.'],
    ['choices', 'red,green', 'a must be some of Red, Blue, separated by commas.'],
    ['text', ' ', 'a needs a value.'],
  ])('refuses %s from %j', (kind, typed, reason) => {
    expect(readField(field(kind), typed)).toEqual({ ok: false, reason });
  });
});

it('checkContent uses initial values, leaves out what nobody asked for, and needs no optional value', () => {
  const fields = [field('text', { initial: 'x' }), field('text', { name: 'b', isRequired: false })];
  expect(checkContent({ fields }, { other: 1 })).toEqual({ ok: true, content: { a: 'x' } });
  expect(checkContent({ fields }, { b: 3 })).toEqual({ ok: false, reason: 'b must be a text.' });
});

it('questionOf reads the arguments of an approval, and ignores other approvals and damaged fields', () => {
  const question = { server: 's', message: 'm', fields: [field('text')] };
  expect(questionOf({ toolName: QUESTION_TOOL, args: JSON.parse(JSON.stringify(question)) })).toEqual(
    question,
  );
  expect(
    questionOf({ toolName: QUESTION_TOOL, args: { server: 's', message: 'm', fields: [7, {}] } })?.fields,
  ).toEqual([]);
  expect(questionOf({ toolName: 'bash', args: {} })).toBeUndefined();
  expect(questionOf({ toolName: QUESTION_TOOL, args: 'x' })).toBeUndefined();
});
