import type { CompactionForecast, ContextControl } from '@longhaul/core';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createTodoTool } from './todo.ts';

const todo = createTodoTool();
const items = [{ text: 'one', status: 'done' }];

function control(more: Partial<ContextControl> = {}): ContextControl {
  return {
    keptFacts: async () => [],
    measureFacts: async () => ({ tokens: 10, maxTokens: 100 }),
    forecast: async () => ({ isWorthIt: true, tokensBefore: 31_000, tokensAfter: 9_000 }),
    ...more,
  };
}

async function callWith(input: Parameters<typeof todo.parse>[0], context: ContextControl | undefined) {
  await using fixture = await openToolFixture({ context });
  fixture.past.todoList = '[ ] the list';
  return await fixture.call(todo, input);
}

test('keeps facts as metadata, and says how many, after the list', async () => {
  const keep = ['  the port\n is 8443 ', 'two  spaces', 'two  spaces', ''];
  const result = await callWith({ items, keep }, control());
  expect(result.content.map((part) => part.type === 'text' && part.text)).toEqual([
    '[x] one',
    '(2 facts kept word for word, 27 of 2,000 characters.)',
  ]);
  expect(result.metadata).toMatchObject({
    keep: ['the port is 8443', 'two  spaces'],
    items: [{ text: 'one' }],
  });
});

test('leaves the facts alone in a call without the field', async () => {
  const result = await callWith({ items, keep: null }, control({ keptFacts: async () => ['a'] }));
  expect(result.metadata).not.toHaveProperty('keep');
  expect(textOf(result)).toBe('[x] one');
});

test('says which facts are no longer kept', async () => {
  const context = control({ keptFacts: async () => ['a', 'b', 'c'] });
  expect(textOf(await callWith({ items, keep: ['b'] }, context))).toContain(
    '2 earlier facts are no longer kept.)',
  );
  expect(textOf(await callWith({ items, keep: [] }, context))).toContain(
    '(No facts are kept. 3 earlier facts are no longer kept.)',
  );
});

test('keeps facts and compacts without a list, which stays as it is', async () => {
  const result = await callWith({ keep: 'one fact', compact: 'true' }, control());
  expect(textOf(result)).toBe(
    '[ ] the list\n(1 fact kept word for word, 8 of 2,000 characters.)\n(Compaction before your next step: about 31,000 tokens become 9,000.)',
  );
  expect(result.metadata).toEqual({ keep: ['one fact'], compact: true });
});

test.each<[string, CompactionForecast | undefined, string]>([
  [
    'has little in use',
    { isWorthIt: false, reason: 'only 12 % of the context is in use' },
    'only 12 % of the context is in use',
  ],
  ['has no control', undefined, 'this session has none'],
])('asks for no compaction if the session %s', async (_, forecast, reason) => {
  const context = forecast && control({ forecast: async () => forecast });
  const result = await callWith({ items, compact: true }, context);
  expect(textOf(result)).toBe(`[x] one\n(No compaction: ${reason}.)`);
  expect(result.metadata).not.toHaveProperty('compact');
});

test('accepts the forms in which models write facts', async () => {
  const keepOf = async (keep: Parameters<typeof todo.parse>[0]) =>
    (await callWith({ items, keep }, control())).metadata?.['keep'];
  expect(await keepOf('["a", "b"]')).toEqual(['a', 'b']);
  expect(await keepOf('plain')).toEqual(['plain']);
  expect(await keepOf('42')).toEqual(['42']);
  expect(await keepOf([{ text: 'a' }, { fact: 'b' }])).toEqual(['a', 'b']);
});

test('refuses too many facts, too long ones and other values, and changes nothing', async () => {
  const refused = (keep: Parameters<typeof todo.parse>[0]) => refusalOf(todo, { items, keep });
  expect(refused(Array.from({ length: 21 }, (_, index) => `fact ${index}`))).toBe(
    '`keep` has 21 facts, but at most 20 are kept: shorten facts or leave some out. Nothing has changed.',
  );
  expect(refused(['x'.repeat(1_500), 'y'.repeat(501)])).toMatch(
    /^`keep` has 2,001 characters, but at most 2,000/,
  );
  expect(refused([1])).toBe('`keep[0]` must be a text.');
  expect(refused({ a: 1 })).toBe('`keep` must be an array of texts.');
  expect(refusalOf(todo, { items, compact: 'maybe' })).toMatch(/^`compact` must be true or false/);
});

test('refuses facts for which the window has no room', async () => {
  const context = control({ measureFacts: async () => ({ tokens: 310, maxTokens: 120 }) });
  const result = await callWith({ items, keep: ['a'] }, context);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe(
    '`keep` has about 310 tokens, but the context of this model has room for 120 tokens of kept facts: shorten facts or leave some out. Nothing has changed.',
  );
});

test('has neither field if the context is not the business of the model', async () => {
  const plain = createTodoTool({ context: false });
  expect(JSON.stringify(plain.schema)).not.toMatch(/keep|compact/);
  await using fixture = await openToolFixture({ context: control() });
  const result = await fixture.call(plain, { items, keep: ['a'], compact: true });
  expect(textOf(result)).toBe('[x] one\n[Ignored: `keep`, `compact`. Known: `items`.]');
  expect(result.metadata).not.toHaveProperty('keep');
});
