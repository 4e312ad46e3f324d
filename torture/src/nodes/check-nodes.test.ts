import type { Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { checkEffects, checkNodes } from './check-nodes.ts';

const NAME = `effect-${'0'.repeat(36)}`;

const message = (role: Message['role'], parts: Message['parts']): Message => ({
  id: 'm',
  sessionId: 's',
  sequence: 1,
  role,
  parts,
  status: 'done',
  createdAt: 1,
  tokenCount: 1,
});
const task = (text: string) => message('user', [{ type: 'text', text, state: 'done' }]);
const call = (state: 'completed' | 'interrupted' | 'running') =>
  message('assistant', [
    { type: 'tool', callId: 'c', name: 'bash', input: { command: `echo ${NAME}` }, state },
  ]);
const numbered = (number: number) => ({ type: 'llm:thinking' as const, sessionId: 's', at: 1, number });

const kinds = (records: Partial<Parameters<typeof checkNodes>[0]>) =>
  checkNodes({ sessionId: 's', tasks: [], messages: [], received: [], effects: [], ...records }).map(
    ({ kind }) => kind,
  );

it('finds lost and repeated tasks, also among messages that became one', () => {
  expect(kinds({ tasks: ['task-1', 'task-2'], messages: [task('task-1\n\ntask-2')] })).toEqual([]);
  expect(kinds({ tasks: ['task-1'], messages: [task('task-10')] })).toEqual(['lost-message']);
  expect(kinds({ tasks: ['task-1'], messages: [task('task-1'), task('task-1')] })).toEqual([
    'duplicate-message',
  ]);
});

it('finds calls that took effect twice, or without an effect, or without a result', () => {
  expect(kinds({ messages: [call('completed')], effects: [NAME] })).toEqual([]);
  expect(kinds({ messages: [call('interrupted')], effects: [] })).toEqual([]);
  expect(kinds({ messages: [call('completed')], effects: [NAME, NAME] })).toEqual(['repeated-side-effect']);
  expect(kinds({ messages: [call('completed')], effects: [] })).toEqual(['orphan-call']);
  expect(kinds({ messages: [call('running')], effects: [NAME] })).toEqual(['orphan-call']);
  expect(checkEffects([NAME], []).map(({ kind }) => kind)).toEqual(['orphan-call']);
});

it('finds events that a client received twice or not at all', () => {
  expect(kinds({ received: [numbered(1), numbered(2)] })).toEqual([]);
  expect(kinds({ received: [numbered(1), numbered(3)] })).toEqual(['corruption']);
  expect(kinds({ received: [numbered(1), numbered(1)] })).toEqual(['corruption']);
});
