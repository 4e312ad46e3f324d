import type { Question } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { QuestionPanel } from './question-panel.ts';

const question: Question = {
  server: 'x',
  message: 'm',
  fields: [
    { name: 'who', label: 'Name', kind: 'text', choices: [], isRequired: true },
    { name: 'sure', label: 'Sure?', kind: 'boolean', choices: [], isRequired: true },
  ],
};

function open() {
  const answers: unknown[] = [];
  let stops = 0;
  const panel = new QuestionPanel({
    question,
    paint: createPaint(false),
    onAnswer: (answer) => answers.push(answer),
    onStop: () => {
      stops += 1;
    },
  });
  const type = (...keys: string[]) => keys.forEach((key) => void panel.handleInput(key));
  return { panel, type, answers, stops: () => stops };
}

it('asks for each field, and answers with all values', () => {
  const { panel, type, answers } = open();
  expect(panel.render(60).join('\n')).toContain('Name (a text):');
  type('A', 'd', 'a', '\r');
  expect(panel.render(60).join('\n')).toContain('Sure? (yes or no):');
  type('?', '\r');
  expect(panel.render(60).join('\n')).toContain('sure must be yes or no.');
  expect(answers).toEqual([]);
  type('y', '\r');
  expect(answers).toEqual([{ answer: 'once', content: { who: 'Ada', sure: true } }]);
});

it('declines at Esc, and stops the run at Ctrl-C', () => {
  const { type, answers, stops } = open();
  type('\u001b');
  expect(answers).toEqual([{ answer: 'deny', reason: 'the person declined' }]);
  type('\u0003');
  expect(stops()).toBe(1);
});
