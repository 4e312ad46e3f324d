import { describe, expect, test } from 'vitest';
import { readSession } from './import-session.ts';
import { partialProblem } from './partial.ts';

const WORDS = 'some words of a text '.repeat(20);
const text = (role: string, content: unknown) => ({ role, content });

function problemOf(messages: object[]): string | undefined {
  return partialProblem(readSession(JSON.stringify(messages)).report);
}

describe('a file that is read only in part', () => {
  test('is a problem that says what was read, and of what', () => {
    const problem = problemOf([
      text('user', 'Look.'),
      text('assistant', WORDS),
      text('critic', WORDS),
      text('critic', WORDS),
    ]);
    expect(problem).toContain('425 of 1,277 visible characters');
    expect(problem).toContain('2 × messages of the role critic');
    expect(problem).toContain('--partial');
  });

  test('is no problem if at least 90 % of it was read', () => {
    const known = Array.from({ length: 10 }, () => text('assistant', WORDS));
    expect(problemOf([text('user', 'Look.'), ...known, text('critic', WORDS)])).toBeUndefined();
  });

  test('counts content blocks of unknown types, and text in unknown fields', () => {
    expect(
      problemOf([text('user', [{ type: 'table', cells: [WORDS] }]), text('assistant', 'Yes.')]),
    ).toContain('content blocks of the type table');
    expect(problemOf([text('user', 'Look.'), { role: 'tool', content: null, stdout: WORDS }])).toContain(
      'unknown fields',
    );
  });

  test('does not count images, audio and other data as text', () => {
    const data = 'A'.repeat(5_000);
    const audio = { type: 'input_audio', input_audio: { data, format: 'wav' } };
    expect(problemOf([text('user', [{ type: 'text', text: WORDS }, audio])])).toBeUndefined();
  });

  test('counts damaged lines, but not the lines of a log between the rows', () => {
    const row = (content: string) => JSON.stringify({ type: 'message', role: 'user', content, timestamp: 1 });
    const read = (lines: string[]) => partialProblem(readSession(lines.join('\n')).report);
    expect(read([row('Look.'), `{"role": ${WORDS}`, row('On.')])).toContain('damaged lines');
    expect(read([row('Look.'), WORDS, row('On.')])).toBeUndefined();
  });

  test('counts further sessions on the same line', () => {
    const session = JSON.stringify([text('user', WORDS), text('assistant', 'Yes.')]);
    expect(partialProblem(readSession(session + session).report)).toContain('further sessions');
  });
});
