import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withMessages, withModel, withUsage } from './edit-body.ts';
import { arrayElements, objectMembers } from './json-ranges.ts';

const usage = (text: string) =>
  withUsage(Buffer.from(text), { hasOptions: text.includes('stream_options') })?.toString();

test('changes only the bytes of the messages', () => {
  const body = Buffer.from(
    ' {\n "seed": 12345678901234567890, "metadata":{"messages":[1,"]"]},\t"messages" : [ {"role":"user","content":"a\\"}] é"} ], "top_p":1.0e0 }\n',
  );
  expect(withMessages(body, [{ role: 'user', content: 'x' }]).toString()).toBe(
    ' {\n "seed": 12345678901234567890, "metadata":{"messages":[1,"]"]},\t"messages" : [{"role":"user","content":"x"}], "top_p":1.0e0 }\n',
  );
});

test('keeps the bytes of unchanged messages: numbers too big for JavaScript, odd spaces, escapes', () => {
  const text =
    '{"messages":[1,{}],"messages":[ {"id" : 12345678901234567890, "content":"\\u00e9" }\n, {"content":"b"}, {"seed":1.0}]}';
  const received = JSON.parse(text).messages;
  const sent = withMessages(Buffer.from(text), [received[2], { content: 'new' }, received[0]], received);
  const messages = '[{"seed":1.0},{"content":"new"},{"id" : 12345678901234567890, "content":"\\u00e9" }]';
  expect(sent.toString()).toBe(`{"messages":${messages},"messages":${messages}}`);
});

test('replaces every occurrence of a duplicate or escaped key', () => {
  const body = Buffer.from('{"messages":[],"mess\\u0061ges":[1]}');
  const two = { n: 2 };
  expect(withMessages(body, [two], [{}]).toString()).toBe(
    '{"messages":[{"n":2}],"mess\\u0061ges":[{"n":2}]}',
  );
  expect(withModel(Buffer.from('{"model":"a/b","x":{"model":1}}'), 'b').toString()).toBe(
    '{"model":"b","x":{"model":1}}',
  );
});

test('requests usage of a stream with a minimal edit', () => {
  const wanted = '"stream_options":{"include_usage":true}';
  expect(usage('{"stream":true }')).toBe(`{"stream":true,${wanted} }`);
  expect(usage('{"stream_options":null,"n":1}')).toBe(`{${wanted},"n":1}`);
  expect(usage('{"stream_options":{ }}')).toBe(`{${wanted}}`);
  expect(usage('{"stream_options":{"a":{"include_usage":false} }}')).toBe(
    '{"stream_options":{"a":{"include_usage":false},"include_usage":true }}',
  );
  expect(usage('{"stream_options":{"include_usage" : false}}')).toBe(
    '{"stream_options":{"include_usage" : true}}',
  );
  expect(usage('{"stream_options":{"include_usage":true}}')).toBeUndefined();
});

test('finds the values of any JSON object and array', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (value, indent) => {
      const body = Buffer.from(JSON.stringify(value, null, indent));
      const read = objectMembers(body).map(({ key, value: at }) => [
        key,
        JSON.parse(body.toString('utf8', at.start, at.end)),
      ]);
      expect(read).toEqual(Object.entries(JSON.parse(body.toString())));
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const body = Buffer.from(JSON.stringify(value));
      const read = arrayElements(body, 0).map(({ start, end }) =>
        JSON.parse(body.toString('utf8', start, end)),
      );
      expect(read).toEqual(JSON.parse(body.toString()));
    }),
  );
});
