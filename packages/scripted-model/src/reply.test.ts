import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitReply } from './reply.ts';
import type { ScriptReply } from './script.ts';

const countChars = (text: string) => text.length;
const reply: ScriptReply = {
  reasoning: 'abc',
  text: 'defgh',
  toolCalls: [
    { name: 'read', arguments: { a: 1 } },
    { name: 'list', arguments: {} },
  ],
};

it('keeps a reply that fits', () => {
  const whole = fitReply(reply, 25, countChars);
  expect(whole).toMatchObject({ text: 'defgh', finishReason: 'tool_calls', completionTokens: 25 });
  expect(whole.toolCalls.map((call) => call.function.arguments)).toEqual(['{"a":1}', '{}']);
});

it.each([
  [2, { reasoning: 'ab', text: '', toolCalls: [] }],
  [6, { reasoning: 'abc', text: 'def', toolCalls: [] }],
  [10, { text: 'defgh', toolCalls: [] }],
  [15, { toolCalls: [{ function: { name: 'read', arguments: '{"a' } }] }],
])('cuts the end of a reply to %i tokens', (room, expected) => {
  const cut = fitReply(reply, room, countChars);
  expect(cut).toMatchObject({ ...expected, finishReason: 'length' });
  expect(cut.toolCalls).toHaveLength(expected.toolCalls?.length ?? 0);
});

it('never exceeds the limit, and never splits a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, room) => {
      const cut = fitReply({ text }, room, countChars);
      expect(cut.completionTokens).toBeLessThanOrEqual(room);
      expect(cut.text.isWellFormed()).toBe(true);
      expect(text.startsWith(cut.text)).toBe(true);
      expect(cut.finishReason).toBe(text.length > room ? 'length' : 'stop');
    }),
  );
});
