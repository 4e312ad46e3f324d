import { describe, expect, it } from 'vitest';
import { requestExcerpt } from './request-excerpt.ts';

describe('requestExcerpt', () => {
  it.each([
    {
      what: 'a short request',
      text: 'Add a page\nfor the settings.',
      excerpt: 'Add a page for the settings.',
    },
    {
      what: 'the content of a tag',
      text: '<pr_description>\nConsider the following PR description:\nSaving loses tags.\n</pr_description>',
      excerpt: 'Saving loses tags.',
    },
    {
      what: 'what follows a block of a program',
      text: '<uploaded_files>\n/work/shop\n</uploaded_files>\nHere is the issue:\nISSUE:\nSaving loses tags.',
      excerpt: 'Saving loses tags.',
    },
    {
      what: 'a line that asks for something itself',
      text: 'Implement the following plan:\n# Plan',
      excerpt: 'Implement the following plan: # Plan',
    },
    {
      what: 'code with angle brackets',
      text: 'Make it an Array<string>.',
      excerpt: 'Make it an Array<string>.',
    },
  ])('begins with $what', ({ text, excerpt }) => {
    expect(requestExcerpt(text, 100)).toBe(excerpt);
  });

  it('ends with a sentence if one is long enough, or else between characters', () => {
    const text = `Saving a page loses its tags. ${'Then nothing works any more '.repeat(9)}`;
    expect(requestExcerpt(text, 60)).toBe('Saving a page loses its tags. …');
    expect(requestExcerpt(text, 20)).toBe('Saving a page loses…');
  });
});
