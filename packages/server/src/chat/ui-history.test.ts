import type { Approval, Message, Part, ToolPart } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { uiHistory } from './ui-history.ts';

let sequence = 0;
function message(role: Message['role'], parts: Part[], more: Partial<Message> = {}): Message {
  sequence += 1;
  const id = `stored-${sequence}`;
  return { id, sessionId: 's', sequence, role, parts, status: 'done', createdAt: 0, tokenCount: 0, ...more };
}
const text = (said: string): Part => ({ type: 'text', text: said, state: 'done' });
const tool = (state: ToolPart['state'], more: Partial<ToolPart> = {}): ToolPart => ({
  type: 'tool',
  callId: `call-${state}`,
  name: 'bash',
  input: {},
  state,
  ...more,
});
const asked = ({ sequence: at }: Message, index: number, more: Partial<Approval> = {}): Approval => ({
  sessionId: 's',
  callId: 'c',
  handle: `m${at}.${index}`,
  toolName: 'bash',
  args: {},
  requestedAt: 0,
  ...more,
});
const history = (messages: Message[], approvals: Approval[] = []) =>
  uiHistory(messages, { sessionId: 's', approvals });

describe('a session as UI messages', () => {
  it('joins all steps to one answer and leaves out user messages that the runtime generated', () => {
    const messages = history([
      message('user', [text('Go.')], { metadata: { originalMessages: ['page-1', 'page-2'] } }),
      message('assistant', [text('Half an')]),
      message('user', [text('Go on.')], { metadata: { synthetic: 'continue-length' } }),
      message('assistant', []),
      message('assistant', [text(' answer.')]),
    ]);
    expect(messages).toEqual([
      { id: 'page-2', role: 'user', parts: [{ type: 'text', text: 'Go.', state: 'done' }] },
      {
        id: 'answer-page-2',
        role: 'assistant',
        metadata: { sessionId: 's' },
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'Half an', state: 'done' },
          { type: 'step-start' },
          { type: 'text', text: ' answer.', state: 'done' },
        ],
      },
    ]);
  });

  it('shows the outcome of every tool call', () => {
    const step = message('assistant', [
      tool('completed', { output: [{ type: 'text', text: 'out' }] }),
      tool('error', { error: 'It broke.' }),
      tool('interrupted'),
      tool('error', { output: [{ type: 'text', text: 'Not allowed.' }] }),
      tool('pending'),
      tool('running'),
      tool('pending'),
    ]);
    const approvals = [
      asked(step, 3, { answer: 'deny', reason: 'No.', answeredAt: 1 }),
      asked(step, 4),
      asked(step, 5, { answer: 'once', answeredAt: 1 }),
    ];
    const parts = history([step], approvals)[0]?.parts.slice(1);
    expect(parts).toMatchObject([
      { state: 'output-available', output: 'out' },
      { state: 'output-error', errorText: 'It broke.' },
      { state: 'output-error', errorText: 'Interrupted.' },
      { state: 'output-denied', approval: { approved: false, reason: 'No.' } },
      { state: 'approval-requested', approval: { id: `m${step.sequence}.4` } },
      { state: 'input-available' },
      { state: 'input-available' },
    ]);
  });
});
