import { expect, it } from 'vitest';
import { type AskMode, defaultAction } from './default-action.ts';

it.each<[string, boolean, AskMode, string]>([
  ['read', false, 'wait', 'allow'],
  ['read', true, 'wait', 'ask'],
  ['grep', true, 'wait', 'ask'],
  ['task', false, 'wait', 'allow'],
  ['write', false, 'wait', 'ask'],
  ['send', false, 'wait', 'allow'],
  ['write', true, 'deny', 'allow'],
  ['read', true, 'deny', 'allow'],
])(
  'in local, answers %s with a path outside (%s) and ask meaning %s by %s',
  (toolName, isOutside, ask, action) => {
    expect(defaultAction({ toolName, isOutside }, 'local', ask)).toBe(action);
    expect(defaultAction({ toolName, isOutside }, 'bubblewrap', ask)).toBe('allow');
  },
);

it.each([
  ['list', 'allow'],
  ['output', 'allow'],
  ['write', 'ask'],
  ['kill', 'ask'],
])('in local, answers process with the action %s by %s', (action, expected) => {
  const call = { toolName: 'process', input: { action, handle: 'm3.1', input: 'y\n' }, isOutside: false };
  expect(defaultAction(call, 'local', 'wait')).toBe(expected);
  expect(defaultAction(call, 'bubblewrap', 'wait')).toBe('allow');
});
