import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looseObject } from './loose-json.ts';

describe('looseObject', () => {
  it('reads valid JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
        const text = JSON.stringify(object);
        // Quotes in texts are told apart by what follows them, so escaped ones are the only safe ones.
        fc.pre(!/[‘“`']/.test(text));
        const parsed: unknown = JSON.parse(text);
        expect(looseObject(text)).toEqual({ value: parsed, isCutOff: false });
      }),
    );
  });

  it.each([
    {
      what: 'surplus and missing commas',
      text: '{"a": [1,, 2,], "b": "x"\n "c": true,}',
      value: { a: [1, 2], b: 'x', c: true },
    },
    {
      what: 'other quotes and none',
      text: "{a: 'it''s', “b”: `x`, c: None}",
      value: { a: "it''s", b: 'x', c: null },
    },
    {
      what: 'quotes and line breaks in texts',
      text: '{"a": "say "hi"\nnow", "b": 2}',
      value: { a: 'say "hi"\nnow', b: 2 },
    },
    { what: 'escapes', text: '{"a": "\\u0041\\n\\"\\x"}', value: { a: 'A\n"x' } },
    { what: 'words as values', text: '{a: two words, b: -1.5e3}', value: { a: 'two words', b: -1500 } },
    { what: 'a text after it', text: '{"a": {"b": 1}} and {"c": 2}', value: { a: { b: 1 } } },
  ])('reads $what', ({ text, value }) => {
    expect(looseObject(text)).toEqual({ value, isCutOff: false });
  });

  it.each(['{"a": [1, "x y', '{"a": [1, "x y"', '{"a": [1, "x y"]'])('reports that %s is cut off', (text) => {
    expect(looseObject(text)).toEqual({ value: { a: [1, 'x y'] }, isCutOff: true });
  });

  it('ends with any text, and reads no object that is nested too deep', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,"\'\\ab1\n ') }), (text) => {
        expect(() => looseObject(`{${text}`)).not.toThrow();
      }),
    );
    expect(looseObject('{"a":'.repeat(5_000))).toBeUndefined();
    expect(looseObject('no object')).toBeUndefined();
  });
});
