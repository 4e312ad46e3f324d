import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceLoneEscapes, withoutLoneSurrogates } from './lone-surrogates.ts';

const body = (text: string) =>
  Buffer.from(`{"tools":["\\ud83d"],"messages":[{"content":"${text}"}],"x":"\\udc00"}`);

/** Pieces of JSON strings, many of which meet at a border between escapes. */
const piece = fc.constantFrom(
  ...['\\ud83d', '\\uDE00', '\\uDBFF', '\\udc00', '\\ue000', '\\ud7ff', '\\\\', '\\"', '\\n', '\\u005c'],
  ...['ud83d', 'u', 'd83d', 'é', '😀', ' ', 'x'],
);

test('replaces the same surrogates as `toWellFormed`, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const parsed: unknown = JSON.parse(`"${text}"`);
      const mended = withoutLoneSurrogates(body(text)).toString();
      expect(JSON.parse(mended)).toEqual({
        tools: ['\ud83d'],
        messages: [{ content: String(parsed).toWellFormed() }],
        x: '\udc00',
      });
      if (String(parsed).isWellFormed()) expect(mended).toBe(body(text).toString());
      expect(mended).toHaveLength(body(text).toString().length);
      expect(replaceLoneEscapes(text)).toBe(String(/"content":"(.*)"\}\]/.exec(mended)?.[1]));
    }),
  );
});

test.each([
  '',
  '{',
  '\\',
  '\\u',
  '\\ud8',
  '\\ud83',
  '\\ud83d',
  '\\ud83d\\',
  '\\ud83d\\u',
  '\\ud83d\\udc0',
  '\\uDxyz',
])('accepts arguments that end in the middle of an escape: %j', (text) => {
  expect(replaceLoneEscapes(text)).toBe(text.replace('\\ud83d', '\\ufffd'));
});

test.each([
  ['pairs', '\\ud83d\\ude00'],
  ['lone surrogates', '\\ud83d '],
  ['backslashes after a surrogate', '\\\\\\\\\\ud83d\\\\\\\\'],
])('takes ten times the steps for ten times the %s', async (_, part) => {
  const few = body(part.repeat(1_000));
  const many = body(part.repeat(10_000));
  for (const work of [
    (sent: Buffer) => withoutLoneSurrogates(sent),
    (sent: Buffer) => replaceLoneEscapes(sent.toString()),
  ]) {
    const steps = await countSteps(() => work(few));
    expect(await countSteps(() => work(many))).toBeLessThan(steps * 11);
  }
});
