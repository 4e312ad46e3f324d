import { describe, expect, test } from 'vitest';
import { FactFinder } from './fact-finder.ts';
import { splitPath } from './facts.ts';
import { type Segment, segmentOf } from './recorded-session.ts';

function finderOf(...facts: { text: string; file?: string }[]): FactFinder {
  return new FactFinder(
    facts.map((fact) => {
      const path = splitPath(fact.text);
      return path === undefined ? fact : { text: fact.text, path };
    }),
  );
}

const text = (content: string): Segment => segmentOf('assistant', content);
const result = (args: unknown, content: string): Segment =>
  segmentOf('result', content, JSON.stringify(args));

describe('a fact is shown', () => {
  const stands = (fact: string, content: string) =>
    finderOf({ text: fact }).shownIn(text(content)).facts.length === 1;

  test('by its literal text, also inside a longer name', () => {
    expect(stands('retryAfter', 'set retryAfter = 3')).toBe(true);
    expect(stands('retryAfter', 'set_retryAfterMs')).toBe(true);
    expect(stands('retryAfter', 'retry After')).toBe(false);
  });

  test('as a path, by its last component on a line that contains its folder', () => {
    expect(stands('src/core/app.ts', 'in src/core: app.ts, main.ts')).toBe(true);
    expect(stands('src/core/app.ts', 'app.ts in src/other')).toBe(false);
  });

  test('as a path, below the nearest line that ends with / or : and contains its folder', () => {
    expect(stands('src/core/app.ts', 'src/core/\n  main.ts (read)\n  app.ts (read)')).toBe(true);
    expect(stands('src/core/app.ts', 'src/core:\napp.ts')).toBe(true);
    expect(stands('src/core/app.ts', 'src/core/\nmain.ts\nsrc/other/\napp.ts')).toBe(false);
    expect(stands('src/core/app.ts', 'src/core\napp.ts')).toBe(false);
    expect(stands('src/core/app.ts', 'app.ts\nsrc/core/')).toBe(false);
  });

  test('as a path, only by a whole last component', () => {
    expect(stands('src/core/app.ts', 'src/core/\nmyapp.tsx')).toBe(false);
    expect(stands('src/core/app.ts', 'src/core/\nrun app.ts:12.')).toBe(true);
  });
});

describe('a fact is grounded', () => {
  const isGrounded = (fact: { text: string; file?: string }, segment: Segment) =>
    finderOf(fact).shownIn(segment).grounded.length === 1;
  const fact = { text: 'retryAfter', file: 'src/core/app.ts' };

  test('in a tool part whose arguments contain its file', () => {
    expect(isGrounded(fact, result({ path: '/srv/src/core/app.ts' }, 'a\nconst retryAfter'))).toBe(true);
    expect(isGrounded(fact, result({ path: 'src/core/main.ts' }, 'const retryAfter'))).toBe(false);
  });

  test('on a line of text that contains its file, or its folder and name', () => {
    expect(isGrounded(fact, text('src/core/app.ts: retryAfter'))).toBe(true);
    expect(isGrounded(fact, text('src/core/\n  app.ts (read): retryAfter'))).toBe(true);
    expect(isGrounded(fact, text('src/core/app.ts\nretryAfter'))).toBe(false);
    expect(isGrounded(fact, text('src/other/\n  app.ts: retryAfter'))).toBe(false);
  });

  test('anywhere if it is a path or came from no file', () => {
    expect(isGrounded({ text: 'retryAfter' }, text('retryAfter'))).toBe(true);
    expect(isGrounded({ text: 'src/core/app.ts' }, text('src/core/app.ts'))).toBe(true);
  });
});
