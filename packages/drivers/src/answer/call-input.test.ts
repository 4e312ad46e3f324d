import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { repairInput, repairText } from './call-input.ts';
import { loadLooseJson } from './loose-json.ts';

const parse = await loadLooseJson();
const KEYS = new Set(['path', 'content', 'all', 'items', 'pattern', 'limit']);
/** Like a tool with the required text `path`. */
const accepts = (input: JsonObject) =>
  typeof input['path'] === 'string' &&
  (input['items'] === undefined || Array.isArray(input['items'])) &&
  (input['limit'] === undefined || typeof input['limit'] === 'number') &&
  Object.keys(input).every((key) => KEYS.has(key));

describe('arguments as text', () => {
  it.each<[name: string, text: string, input: JsonObject]>([
    ['Python', `{'path': 'a.ts', 'all': True, 'content': None}`, { path: 'a.ts', all: true, content: null }],
    ['Python with an escaped apostrophe', `{'path': 'it\\'s.ts'}`, { path: "it's.ts" }],
    ['raw newlines', '{"path":"a","content":"one\n\ttwo\n"}', { path: 'a', content: 'one\n\ttwo\n' }],
    ['a closing tag', '{"path":"a"}\n</tool_call>', { path: 'a' }],
    ['several closing tags', '{"path":"a"}</parameter></function></tool_call>', { path: 'a' }],
    ['a token of a template', '{"path":"a"}<|im_end|>', { path: 'a' }],
    ['an opening tag', '<tool_call>{"path":"a"}', { path: 'a' }],
    ['a code fence', '```json\n{"path":"a"}\n```', { path: 'a' }],
    ['a trailing comma', '{"path":"a",}', { path: 'a' }],
    ['a brace too many', '{"path":"a"}}', { path: 'a' }],
    ['one encoding', JSON.stringify('{"path":"a"}'), { path: 'a' }],
    ['two encodings', JSON.stringify(JSON.stringify('{"path":"a"}')), { path: 'a' }],
    ['a list of one', '[{"path":"a"}]', { path: 'a' }],
    ['a wrapper', '{"arguments": {"path":"a"}}', { path: 'a' }],
    ['an unknown escape', '{"path":"a","pattern":"\\.ts\\d"}', { path: 'a', pattern: '\\.ts\\d' }],
    [
      'quotation marks inside',
      '{"path":"a","content":"say "hi" to me"}',
      { path: 'a', content: 'say "hi" to me' },
    ],
  ])('are repaired: %s', (_name, text, input) => {
    expect(repairText(text, parse, accepts)).toEqual(input);
  });

  it.each([
    ['cut in a text', '{"path":"a","content":"half of the fi'],
    ['cut in a text after a brace', '{"path":"a","content":"function f() {}'],
    ['cut before the last brace', '{"path":"a","content":"x"'],
    ['cut in Python', `{'path': 'a', 'content': 'half`],
    ["with Python's long strings", '{"path":"a","content":"""one\ntwo"""}'],
    ['that are two objects', '{"path":"a"}{"path":"b"}'],
    ['followed by words', '{"path":"a"} and then read b'],
    ['that are words', 'path: a'],
    ['that the tool does not accept', `{'file': 'a'}`],
    ['that are empty', ''],
  ])('are not repaired if they are %s', (_name, text) => {
    expect(repairText(text, parse, accepts)).toBeUndefined();
  });
});

describe('arguments as an object', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ path: '1' }, { path: '1' }],
    [
      { path: 'a', items: '[{"text":"x"}]' },
      { path: 'a', items: [{ text: 'x' }] },
    ],
    [
      { path: 'a', limit: '5' },
      { path: 'a', limit: 5 },
    ],
    [{ parameters: '{"path":"a"}' }, { path: 'a' }],
  ])('%j become %j', (input, expected) => {
    expect(repairInput(input, accepts)).toEqual(expected);
  });

  it('stay unchanged if no repair helps', () => {
    expect(repairInput({ nothing: '1' } satisfies JsonValue, accepts)).toBeUndefined();
  });
});
