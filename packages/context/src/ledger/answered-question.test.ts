import { describe, expect, it } from 'vitest';
import { answeredQuestion, SAID_CHARS } from './answered-question.ts';

describe('answeredQuestion', () => {
  it.each<[string, string, string, string | undefined]>([
    ['yes to a question', 'I read it. Shall I delete the old file?', 'yes', 'Shall I delete the old file?'],
    ['the last of two questions', 'Is it A? Or shall I ask?', 'ok', 'Or shall I ask?'],
    ['a question on its own line', 'Done:\n- **Should I commit?**', 'y', 'Should I commit?'],
    ['a question in full-width marks', '完成。继续吗？', 'yes', '完成。继续吗？'],
    [
      'a letter that names an option',
      'Which one?\na) the first\nb) the second',
      'b',
      'Which one? [b) the second]',
    ],
    ['a digit with a bracket', 'Which one?\n1. fast\n2. small', '2)', 'Which one? [2. small]'],
    [
      'a capital letter beside words',
      'Which one?\nA) fast\nB) small',
      'take B please',
      'Which one? [B) small]',
    ],
    ['two options', 'Which?\n1. fast\n2. small', '1, 2', 'Which? [1. fast] [2. small]'],
    ['a small letter beside words', 'Which one?\na) fast\nb) small', 'a good idea', 'Which one?'],
    ['an option that was not offered', 'Which one?\na) fast', 'c', 'Which one?'],
    ['an answer without a question', 'I am done.', 'yes', undefined],
    ['an option without a question', 'I see two ways.\n1. fast\n2. small', 'do option 2', '[2. small]'],
    ['no question in a quotation', 'Missing is a bridge from “who?” to “why?” and more.', 'go on', undefined],
    ['an answer of many words', 'Which one?', 'one two three four five six seven eight nine', undefined],
    ['an answer of one long word', 'Which one?', 'x'.repeat(81), undefined],
  ])('reads %s', (_, said, answer, expected) => {
    expect(answeredQuestion(said, answer)).toBe(expected);
  });

  it('looks only at the end of what the model said', () => {
    expect(answeredQuestion(`Really?${' '.repeat(SAID_CHARS)}`, 'yes')).toBeUndefined();
    expect(answeredQuestion(`${'x'.repeat(SAID_CHARS)}\nReally?`, 'yes')).toBe('Really?');
  });

  it('shortens a long question and a long option', () => {
    const [question = '', option = ''] =
      answeredQuestion(`${'word '.repeat(100)}?\na) ${'o'.repeat(300)}`, 'a')?.split(' [') ?? [];
    expect(question.length).toBeLessThanOrEqual(201);
    expect(question).toMatch(/^word word/);
    expect(option.length).toBeLessThanOrEqual(122);
    expect(option).toMatch(/^a\) ooo/);
  });
});
