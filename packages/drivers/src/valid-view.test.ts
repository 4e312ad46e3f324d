import type { ViewAssistantMessage } from '@longhaul/context/engine';
import { expect, it } from 'vitest';
import { toValidMessage, wellFormed } from './valid-view.ts';

it('replaces lone surrogates at any depth, in keys too, and leaves pairs alone', () => {
  expect(wellFormed({ a: [{ 'k\ud83d': ['\udc00x', '😀', 1, null] }] })).toEqual({
    a: [{ 'k\ufffd': ['\ufffdx', '😀', 1, null] }],
  });
  const sound = { a: [{ k: 'ü😀' }], b: undefined };
  expect(wellFormed(sound)).toBe(sound);
});

it('makes arguments an object, and keeps a message that needs no change', () => {
  const called = (input: unknown, name = 'read') =>
    ({
      role: 'assistant',
      content: [{ type: 'tool', callId: 'c', name, input, output: [], isError: false }],
    }) as ViewAssistantMessage;
  const inputs = [[1, 2], 'text', null, 7].map((input) => toValidMessage(called(input)).content[0]);
  expect(inputs).toMatchObject([[1, 2], 'text', null, 7].map((given) => ({ input: { arguments: given } })));
  const sound = called({ path: 'a' });
  expect(toValidMessage(sound)).toBe(sound);
  const broken = called({ 'p\ud800': '\ud800' }, 'functions.read');
  expect(toValidMessage(broken)).toBe(toValidMessage(broken));
});
