import type { Question } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { formAnswer, questionForm } from './question-form.ts';

const question: Question = {
  server: 's',
  message: 'm',
  fields: [
    { name: 'a', label: 'A', kind: 'text', choices: [], isRequired: true },
    { name: 'b', label: 'B', kind: 'choices', choices: ['x', 'y'], isRequired: false },
    { name: 'c', label: 'C', kind: 'number', choices: [], isRequired: true, initial: 2 },
    { name: 'd', label: 'D', kind: 'boolean', choices: [], isRequired: false },
  ],
};

it('shows each field with its type, and requires those without a value', () => {
  expect(questionForm(question, { sessionId: 's', toolCallId: 't' })).toMatchObject({
    requestedSchema: {
      properties: {
        a: { type: 'string', title: 'A' },
        b: { type: 'array', title: 'B', items: { type: 'string', enum: ['x', 'y'] } },
        c: { type: 'number', title: 'C', default: 2 },
        d: { type: 'boolean', title: 'D' },
      },
      required: ['a'],
    },
  });
});

it.each<[string, object, object]>([
  ['values', { action: 'accept', content: { a: 'z', b: ['y'] } }, { a: 'z', b: ['y'], c: 2 }],
  ['empty optional fields', { action: 'accept', content: { a: 'z', b: null, d: '' } }, { a: 'z', c: 2 }],
])('stores %s', (_name, response, content) => {
  expect(formAnswer({ action: 'cancel', ...response }, question)).toEqual({ answer: 'once', content });
});

it.each<[string, object, string]>([
  ['a declined form', { action: 'decline' }, 'the person declined'],
  ['a closed form', { action: 'cancel' }, 'the person declined'],
  ['an unknown action', { action: '_later' }, 'the person declined'],
  ['no values', { action: 'accept' }, 'a needs a value'],
  ['a value of another type', { action: 'accept', content: { a: 7 } }, 'a must be a text'],
  ['a value that was not offered', { action: 'accept', content: { a: 'z', b: ['q'] } }, 'b must be some of'],
])('denies %s', (_name, response, reason) => {
  expect(formAnswer({ action: 'cancel', ...response }, question)).toEqual({
    answer: 'deny',
    reason: expect.stringContaining(reason),
  });
});
