import { expect, test } from 'vitest';
import { COMPACTED, COMPACTING, limitNotice, noticeText, withoutNotices } from './notices.ts';

const first = noticeText(COMPACTING, { isFirst: true });
const next = noticeText(COMPACTED, { isFirst: true });
const middle = noticeText(COMPACTING, { isFirst: false });

test('what was written into an answer is taken out of it again, to the byte', () => {
  expect(withoutNotices(`${first}${next}The answer.\n\nMore.`)).toBe('The answer.\n\nMore.');
  expect(withoutNotices(`Half of a wo${middle}${next}rd.`)).toBe('Half of a word.');
  expect(withoutNotices(`One.\n\n${middle}${next}Two.`)).toBe('One.\n\nTwo.');
  expect(withoutNotices(`Half${noticeText(limitNotice(10, 9), { isFirst: false })}`)).toBe('Half');
});

test('a client that trims leaves no notice behind', () => {
  expect(withoutNotices(`${first}${next}`.trim())).toBe('');
  expect(withoutNotices(`Half${noticeText(limitNotice(10, 9), { isFirst: false })}`.trim())).toBe('Half');
});

test('a text that only speaks of notices stays', () => {
  const text = `It said "${COMPACTING}" and then went on.`;
  expect(withoutNotices(text)).toBe(text);
});
