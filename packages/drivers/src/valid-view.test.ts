import type { ViewAssistantMessage } from '@longhaul/context';
import { expect, it } from 'vitest';
import { toToolName, toValidMessage, wellFormed } from './valid-view.ts';

const ACCEPTED = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

it.each([
  ['bash', 'bash'],
  ['functions.bash', 'functions_bash'],
  ['bash<|channel|>commentary', 'bash_channel_commentary'],
  ['', '_'],
  ['2fast', '_2fast'],
  ['-x', '_-x'],
  ['Überprüfen', '_berpr_fen'],
  ['n'.repeat(70), 'n'.repeat(64)],
  ['mcp: read file', 'mcp_read_file'],
])('fits the tool name %j', (name, fitted) => {
  expect(toToolName(name)).toBe(fitted);
  expect(fitted).toMatch(ACCEPTED);
});

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
