import { describe, expect, it, test } from 'vitest';
import { limitNotice, noticeOf, noticeText, withoutNotices } from './notices.ts';

const COMPACTING = noticeOf({ kind: 'compacting', estimatedTokens: 7_000, windowTokens: 8_000 });
const COMPACTED = noticeOf({
  kind: 'compacted',
  before: 7_000,
  after: 3_000,
  round: 1,
  kept: 12,
  isByModel: true,
});
const first = noticeText(COMPACTING, { isFirst: true });
const next = noticeText(COMPACTED, { isFirst: true });
const middle = noticeText(COMPACTING, { isFirst: false });
const limit = noticeText(limitNotice(10, 9), { isFirst: false });

test('names what was kept and who wrote the summary', () => {
  expect(COMPACTED).toBe('✅ Context compacted, continuing… (kept 12 messages, summary by the model)');
  const facts = noticeOf({ kind: 'compacted', before: 2, after: 1, round: 1, kept: 1, isByModel: false });
  expect(facts).toBe('✅ Context compacted, continuing… (kept 1 message, summary by facts alone)');
});

test('removes notices from an answer byte for byte', () => {
  expect(withoutNotices(`${first}${next}The answer.\n\nMore.`)).toBe('The answer.\n\nMore.');
  expect(withoutNotices(`Half of a wo${middle}${next}rd.`)).toBe('Half of a word.');
  expect(withoutNotices(`One.\n\n${middle}${next}Two.`)).toBe('One.\n\nTwo.');
  expect(withoutNotices(`Half${limit}`)).toBe('Half');
});

test('removes notices from a trimmed answer', () => {
  expect(withoutNotices(`${first}${next}`.trim())).toBe('');
  expect(withoutNotices(`Half${limit}`.trim())).toBe('Half');
});

describe('removes notices that a client has rendered', () => {
  it.each([
    ['with single line breaks', `${COMPACTING}\n${COMPACTED}\nThe answer.`],
    ['as HTML', `<p>${COMPACTING}</p>\n<p>${COMPACTED}</p>\nThe answer.`],
    ['as HTML with attributes', `<p class="x">${COMPACTING}</p><p class="x">${COMPACTED}</p>The answer.`],
    ['with HTML line breaks', `${COMPACTING}<br>\n${COMPACTED}<br />The answer.`],
    ['without colour selectors', `${first}${next}The answer.`.replaceAll('\ufe0f', '')],
    ['with full stops', `${first}${next}The answer.`.replaceAll('…', '...')],
    ['as a quotation', `> ${COMPACTING}\n> ${COMPACTED}\n\nThe answer.`],
    ['of an earlier version', '✅ Context compacted, continuing…\n\nThe answer.'],
  ])('%s', (_, text) => {
    expect(withoutNotices(text)).toBe('The answer.');
  });

  it('beside thoughts', () => {
    expect(withoutNotices(`<think>Hm.</think>\n\n${first}${next}Yes.`)).toBe('<think>Hm.</think>Yes.');
    expect(withoutNotices(`<think>Hm.</think>${first}Yes.`)).toBe('<think>Hm.</think>Yes.');
    expect(withoutNotices(`<think>${first}${next}Hm.</think>Yes.`)).toBe('<think>Hm.</think>Yes.');
  });
});

test.each([
  `It said "${COMPACTING}" and then continued.`,
  `The words ${COMPACTED} are shown to the user.`,
  'He wrote about Compacting conversation history.\n\nIt was long.',
])('keeps a text that only quotes a notice', (text) => {
  expect(withoutNotices(text)).toBe(text);
});
