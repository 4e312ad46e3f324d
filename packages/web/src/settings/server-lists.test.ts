import { describe, expect, it } from 'vitest';
import { describeKey } from './server-lists.tsx';

describe('describeKey', () => {
  it.each([
    [{ hasKey: true, needsKey: true, keyFrom: 'A_KEY', variables: ['A_KEY'] }, 'from the variable A_KEY'],
    [{ hasKey: true, needsKey: true, variables: [] }, 'present'],
    [{ hasKey: false, needsKey: false, variables: [] }, 'needs none'],
    [{ hasKey: false, needsKey: true, variables: ['A_KEY', 'B_KEY'] }, 'missing: set A_KEY or B_KEY'],
    [{ hasKey: false, needsKey: true, variables: [] }, 'missing'],
  ])('%j: %s', (key, words) => {
    expect(describeKey(key)).toBe(words);
  });
});
