import { expect, test } from 'vitest';
import { COMPACTED, COMPACTING, limitNotice, noticeText, withoutNotices } from './notices.ts';

const first = noticeText(COMPACTING, { isFirst: true });
const next = noticeText(COMPACTED, { isFirst: true });
const middle = noticeText(COMPACTING, { isFirst: false });

test('removes notices from an answer byte for byte', () => {
  expect(withoutNotices(`${first}${next}The answer.\n\nMore.`)).toBe('The answer.\n\nMore.');
  expect(withoutNotices(`Half of a wo${middle}${next}rd.`)).toBe('Half of a word.');
  expect(withoutNotices(`One.\n\n${middle}${next}Two.`)).toBe('One.\n\nTwo.');
  expect(withoutNotices(`Half${noticeText(limitNotice(10, 9), { isFirst: false })}`)).toBe('Half');
});

test('removes notices from a trimmed answer', () => {
  expect(withoutNotices(`${first}${next}`.trim())).toBe('');
  expect(withoutNotices(`Half${noticeText(limitNotice(10, 9), { isFirst: false })}`.trim())).toBe('Half');
});

test('keeps a text that only quotes a notice', () => {
  const text = `It said "${COMPACTING}" and then continued.`;
  expect(withoutNotices(text)).toBe(text);
});
