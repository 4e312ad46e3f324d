import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { todoListOf } from './todo-list.ts';

function called(name: string, input: JsonValue, more: Partial<ToolPart> = {}): ToolPart {
  return { type: 'tool', callId: 'c', name, input, state: 'completed', ...more };
}

const items = [
  { content: 'one', status: 'completed' },
  { content: 'two\n  lines', status: 'in_progress' },
  { content: 'three', status: 'pending' },
  { content: 'four', status: 'cancelled' },
];
const LIST = '[x] one\n[>] two lines\n[ ] three\n[-] four';

describe('todoListOf', () => {
  it("returns the result of Longhaul's own tool for any arguments", () => {
    const output = [{ type: 'text' as const, text: '[x] one\n[ ] two' }];
    expect(todoListOf(called('todo', { items: [] }, { output }))).toBe('[x] one\n[ ] two');
    expect(todoListOf(called('todo', {}))).toBe('');
  });

  it.each<[string, JsonValue]>([
    ['TodoWrite', { todos: items }],
    ['todowrite', { todos: items }],
    ['write_todos', { todos: items.map(({ content, status }) => ({ description: content, status })) }],
    ['update_plan', { plan: items.map(({ content, status }) => ({ step: content, status })) }],
    ['manage_todo_list', { todoList: items.map(({ content, status }) => ({ title: content, status })) }],
  ])('reads the list from the arguments of %s', (name, input) => {
    expect(todoListOf(called(name, input))).toBe(LIST);
  });

  it('leaves out items without a text, and shows an unknown status as open', () => {
    const todos: JsonValue = [
      'text',
      null,
      { status: 'completed' },
      { content: 'a', status: 'odd' },
      { content: 'b' },
    ];
    expect(todoListOf(called('TodoWrite', { todos }))).toBe('[ ] a\n[ ] b');
    expect(todoListOf(called('TodoWrite', { todos: [] }))).toBe('');
  });

  it.each<[string, ToolPart]>([
    ['of another tool', called('bash', { todos: items })],
    ['that failed', called('TodoWrite', { todos: items }, { state: 'error' })],
    ['that has not ended', called('TodoWrite', { todos: items }, { state: 'pending' })],
    ['without a list', called('TodoWrite', { todos: 'none' })],
    ['without arguments', called('TodoWrite', null)],
  ])('returns nothing for a call %s', (_, part) => {
    expect(todoListOf(part)).toBeUndefined();
  });

  it('follows tasks that are created and updated one by one', () => {
    const created = (number: string, subject: string) =>
      called(
        'TaskCreate',
        { subject, description: 'd' },
        { output: [{ type: 'text', text: `Task #${number} created successfully: ${subject}` }] },
      );
    const calls = [
      created('1', 'Look around'),
      created('2', 'Fix #1 of the list'),
      created('11', 'Test'),
      called('TaskUpdate', { taskId: '1', status: 'completed' }),
      called('TaskUpdate', { taskId: '2', status: 'in_progress', subject: 'Fix it' }),
      called('TaskUpdate', { taskId: '11', status: 'deleted' }),
      called('TaskUpdate', { taskId: '7', status: 'completed' }),
    ];
    let list = '';
    for (const call of calls) list = todoListOf(call, list) ?? list;
    expect(list).toBe('[x] #1 Look around\n[>] #2 Fix it');
  });
});
