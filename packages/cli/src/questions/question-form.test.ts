import type { Question } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { QuestionForm } from './question-form.ts';

const question: Question = {
  server: 's',
  message: 'Who?',
  fields: [
    { name: 'who', label: 'Name: of\u001b[2J a person', kind: 'text', choices: [], isRequired: true },
    { name: 'age', label: 'Age', kind: 'integer', choices: [], isRequired: false },
    {
      name: 'color',
      label: 'Color',
      kind: 'choice',
      choices: ['red', 'blue'],
      isRequired: true,
      initial: 'red',
    },
  ],
};

it('asks for each field, repeats one with a wrong value, and takes initial values', () => {
  const form = new QuestionForm(question);
  expect(form.prompt).not.toContain('\u001b');
  expect(form.take('')).toBe('who needs a value.');
  expect(form.take('Ada')).toBeUndefined();
  expect(form.prompt).toBe('Age (a whole number; only Enter: no value):');
  expect(form.take('old')).toBe('age must be a whole number.');
  expect(form.take('')).toBeUndefined();
  expect(form.content).toBeUndefined();
  expect(form.prompt).toBe('Color (one of red, blue; only Enter: red):');
  expect(form.take('')).toBeUndefined();
  expect(form.content).toEqual({ who: 'Ada', color: 'red' });
});

it('asks for agreement if there are no fields', () => {
  const form = new QuestionForm({ ...question, fields: [] });
  expect(form.take('perhaps')).toBe('Type y, or decline.');
  expect(form.content).toBeUndefined();
  expect(form.take('yes')).toBeUndefined();
  expect(form.content).toEqual({});
});
