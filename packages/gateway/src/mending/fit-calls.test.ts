import type { ChatMessage } from '@longhaul/protocol';
import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitCalls } from './fit-calls.ts';
import { definedNames } from './tool-names.ts';

const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;
const defined = definedNames({
  tools: [
    { type: 'function', function: { name: 'functions_bash' } },
    { type: 'custom', custom: { name: 'my.shell' } },
    { type: 'function', name: 'flat.name' },
    ...[7, null, {}, { function: 'x' }, { function: { name: 1 } }],
  ],
  functions: [{ name: 'old.name' }],
});

const called = (...names: string[]): ChatMessage => ({
  role: 'assistant',
  tool_calls: names.map((name, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  })),
});
const namesIn = (messages: readonly ChatMessage[]) =>
  messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name));
const fit = (...names: string[]) => namesIn(fitCalls([called(...names)], { defined }));

test('gives no invented name the name of a defined tool', () => {
  expect(fit('functions.bash', 'functions_bash')).toEqual(['functions_bash_2', 'functions_bash']);
});

test('keeps the names of defined tools of every form', () => {
  const names = ['functions_bash', 'my.shell', 'flat.name', 'old.name'];
  const messages = [called(...names)];
  expect(fitCalls(messages, { defined })).toBe(messages);
});

test.each([
  [
    ['a.b', 'a:b', 'a.b', 'a b'],
    ['a_b', 'a_b_2', 'a_b', 'a_b_3'],
  ],
  [
    ['a.b', 'a_b'],
    ['a_b_2', 'a_b'],
  ],
  [
    ['a.b', 'a:b', 'a_b_2'],
    ['a_b', 'a_b_3', 'a_b_2'],
  ],
  [
    [`${'n'.repeat(64)}1`, `${'n'.repeat(64)}2`],
    ['n'.repeat(64), `${'n'.repeat(56)}_2`],
  ],
  [
    ['x\ud83d', 'x\ud83e', '', '.'],
    ['x_', 'x__2', '_', '__2'],
  ],
])('gives different names different forms: %j', (names, fitted) => {
  expect(fit(...names)).toEqual(fitted);
});

test('fits all names of any history, one to one', () => {
  const name = fc.oneof(
    fc.string({ maxLength: 4, unit: fc.constantFrom('a', '_', '.', ':', '2', '\ud83d') }),
    fc.string({ minLength: 62, maxLength: 70, unit: fc.constantFrom('n', '_') }),
  );
  fc.assert(
    fc.property(fc.array(name), fc.array(name), (used, own) => {
      const sent = namesIn(fitCalls([called(...used)], { defined: new Set(own) }));
      expect(new Set(sent).size).toBe(new Set(used).size);
      for (const [index, fitted] of sent.entries()) {
        const before = used[index] ?? '';
        if (ACCEPTED.test(before) || own.includes(before)) {
          expect(fitted).toBe(before);
        } else {
          expect(fitted).toMatch(ACCEPTED);
          expect(own).not.toContain(fitted);
        }
      }
    }),
  );
});

test('fits a part of a history as the whole history', () => {
  const history = [called('a.b'), called('a:b')];
  expect(namesIn(fitCalls(history.slice(1), { defined, history }))).toEqual(['a_b_2']);
});

test('takes ten times the steps for ten times the names that have the same start', async () => {
  const stepsOf = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => {
      const start = `${'n'.repeat(57)}${String(index >> 1).padStart(6, '0')}`;
      return index % 2 === 0 ? `${start}.` : `${start}:`;
    });
    return countSteps(() => fit(...names));
  };
  expect(await stepsOf(10_000)).toBeLessThan((await stepsOf(1_000)) * 11);
});
