import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createTodoTool } from './todo.ts';

const todo = createTodoTool();

test('returns the list as a checklist, and as metadata for programs', async () => {
  await using fixture = await openToolFixture();
  const items = [
    { text: 'one', status: 'done' },
    { text: 'two\n  lines', status: 'in_progress' },
    { text: 'three', status: 'pending' },
  ];
  const result = await fixture.call(todo, { items });
  expect(textOf(result)).toBe('[x] one\n[>] two lines\n[ ] three');
  expect(result.title).toBe('1 of 3 done');
  expect(result.metadata).toMatchObject({ items: [{ text: 'one', status: 'done' }, {}, {}] });
  expect(todo.isProtected).toBe(true);
});

test('allows an empty list, and only warns about several items in progress', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(todo, { items: [] })).toBe('The todo list is empty.');
  const busy = { text: 'x', status: 'in_progress' };
  expect(await fixture.text(todo, { items: [busy, busy] })).toMatch(/\(2 items are in progress/);
});

test('accepts harmless variants', async () => {
  await using fixture = await openToolFixture();
  const items = JSON.stringify(['plain', { content: 'other', status: 'completed' }, { task: 'third' }]);
  expect(await fixture.text(todo, { todos: items })).toBe('[ ] plain\n[x] other\n[ ] third');
});

test('names the invalid item', () => {
  expect(refusalOf(todo, { items: [{ text: 'x', status: 'constructor' }] })).toBe(
    '`items[0].status` must be pending, in_progress or done, got "constructor".',
  );
  expect(refusalOf(todo, { items: [{ status: 'done' }] })).toMatch(/`items\[0\]` must be \{text, status\}/);
  expect(refusalOf(todo, { items: 'nothing' })).toBe('`items` must be an array, got string.');
  expect(refusalOf(todo, { entries: ['x'] })).toMatch(
    /^`items` must be an array, it is missing\..*`entries`/,
  );
  expect(refusalOf(todo, { items: Array.from({ length: 201 }, () => 'x') })).toMatch(/at most 200/);
});

test('returns the list to a call without items', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(todo, {})).toBe('The todo list is empty.');
  fixture.past.todoList = '[x] one\n[ ] two';
  expect(await fixture.text(todo, {})).toBe('[x] one\n[ ] two');
  expect(await fixture.text(todo, { items: null })).toBe('[x] one\n[ ] two');
});

test('says how many cancelled items it left out', async () => {
  await using fixture = await openToolFixture();
  const dropped = { content: 'x', status: 'cancelled' };
  expect(await fixture.text(todo, { todos: [dropped, dropped] })).toBe(
    'No items are left.\n(2 cancelled items left out.)',
  );
  expect(await fixture.text(todo, { todos: [dropped, { content: 'y', status: 'pending' }] })).toBe(
    '[ ] y\n(1 cancelled item left out.)',
  );
});
