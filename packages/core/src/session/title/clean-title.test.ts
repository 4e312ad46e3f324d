import { describe, expect, it } from 'vitest';
import { cleanTitle } from './clean-title.ts';

describe('cleanTitle', () => {
  it.each([
    ['Add a login form', 'Add a login form'],
    ['  "Add a login form."  \n', 'Add a login form'],
    ['**Title:** Add a login form', 'Add a login form'],
    ['# Title: “Add a login form”', 'Add a login form'],
    ['Titel: Anmeldeformular bauen', 'Anmeldeformular bauen'],
    ['标题：登录表单', '登录表单'],
    ["Sure! Here's a title:\n\n**Fix `parseDate` for leap years**", 'Fix parseDate for leap years'],
    ['1. Fix dates\n2. Fix more dates', 'Fix dates'],
    ['```\nFix dates\n```', 'Fix dates'],
    ['{"title": "Fix dates"}', 'Fix dates'],
    ['"Fix dates"', 'Fix dates'],
    ['<think>The user wants…\nFix?</think>\nFix dates', 'Fix dates'],
    ['The user wants dates.</think>Fix dates', 'Fix dates'],
    ['Fix [the dates](https://evil.example/x)', 'Fix the dates'],
    ['<b>Fix</b> dates <img src=x onerror=alert(1)>', 'Fix dates'],
    ['Fix\tthe  dates', 'Fix the dates'],
    ['Fix \u001b[31mdates\u001b[0m\u0007', 'Fix [31mdates [0m'],
    ['Fix \u202edates\u200b', 'Fix dates'],
    ['C# compiler: fix generics', 'C# compiler: fix generics'],
    ["Don't break the user's config", "Don't break the user's config"],
    ['What next...', 'What next...'],
  ])('reads %j', (answer, title) => {
    expect(cleanTitle(answer)).toBe(title);
  });

  it.each([
    '',
    ' \n ',
    '…',
    '***',
    "I'm sorry, but I can't help with that.",
    'I cannot write a title.',
    'Unfortunately, there is no task.',
    'Untitled',
    '<think>The user wants a title for',
    'word '.repeat(60),
  ])('finds no title in %j', (answer) => {
    expect(cleanTitle(answer)).toBeUndefined();
  });

  it('cuts a long title at a word, and never in a character', () => {
    const long = cleanTitle(`Build ${'a long thing '.repeat(8)}`);
    expect(long).toMatch(/^Build .*\S…$/);
    expect(long?.length).toBeLessThanOrEqual(80);
    expect(cleanTitle(`${'😀'.repeat(45)}a`)).toMatch(/^😀+…$/u);
  });

  it('marks a title that the limit of the answer has cut', () => {
    expect(cleanTitle('Add a login form with', { isCut: true })).toBe('Add a login form with…');
    expect(cleanTitle('Add a login form\nIt has', { isCut: true })).toBe('Add a login form');
  });

  it('is stable', () => {
    const title = cleanTitle('## Title: "Rename `a` to *b*."') ?? '';
    expect(cleanTitle(title)).toBe(title);
  });
});
