import { expect, it } from 'vitest';
import { pointedAt } from './pointed-at.ts';

const LIST =
  'Still open:\n\n1. The list is not sorted\n2. **Cards** are kept twice\n3. No index\n\nShall I mend these 3?';

it('names the items of the list that a short message points to', () => {
  expect(pointedAt(LIST, 'yes, mend all of them')).toBe(
    '1. The list is not sorted; 2. Cards are kept twice; 3. No index; Shall I mend these 3?',
  );
});

it('names the items of several lists with the lines that announce them', () => {
  const said =
    'I looked.\n\n## Close\n- av-1: merged\n- av-2: merged\n\nKeep:\n- av-3: open\n```\n- code\n```';
  expect(pointedAt(said, 'close the ones you found')).toBe(
    'Close; av-1: merged; av-2: merged; Keep: av-3: open',
  );
});

it('takes the last sentences if there is no list, without announcements', () => {
  const said =
    'Let me think. The page could have a map of all stations. It would be drawn once for each day.';
  expect(pointedAt(said, "let's add that")).toBe(
    'The page could have a map of all stations. It would be drawn once for each day.',
  );
});

it('is undefined if the message says it all, or if the text says little', () => {
  expect(pointedAt(LIST, 'Rename every deck')).toBeUndefined();
  expect(pointedAt(LIST, 'it is '.repeat(60))).toBeUndefined();
  expect(pointedAt('I look around first.', 'do it')).toBeUndefined();
});

it('shortens long items to a common length', () => {
  const items = Array.from({ length: 12 }, (_, index) => `${index + 1}. ${'word '.repeat(30)}`);
  const text = pointedAt(items.join('\n'), 'fix all of them') ?? '';
  expect(text.length).toBeLessThan(760);
  expect(text).toContain('1. word');
  expect(text).toContain('12. word');
});
