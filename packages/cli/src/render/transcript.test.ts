import type { SessionLog } from '@longhaul/core';
import type { Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { transcript } from './transcript.ts';

const message = (sequence: number, more: Pick<Message, 'role' | 'parts'>): Message => ({
  id: `m${sequence}`,
  sessionId: 's',
  sequence,
  status: 'done',
  createdAt: sequence * 10,
  tokenCount: 1,
  ...more,
});

const log: SessionLog = {
  session: {
    id: '0197a3c2-5e1b-7000-8000-000000000001',
    createdAt: 0,
    updatedAt: 0,
    status: 'completed',
    task: 'Count',
    title: 'Count',
    model: 'p/m',
    workspace: '/w',
  },
  messages: [
    message(1, { role: 'user', parts: [{ type: 'text', text: 'Count', state: 'done' }] }),
    message(2, {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'I count.', state: 'done' },
        {
          type: 'tool',
          callId: 'a',
          name: 'bash',
          input: {},
          state: 'completed',
          title: 'wc (exit 0)',
          output: [],
        },
        {
          type: 'patch',
          before: '@tree:a',
          after: '@tree:b',
          files: [{ path: 'x', change: 'modified', added: 3, removed: 1, restorable: true }],
          byAgent: true,
        },
      ],
    }),
    message(3, {
      role: 'assistant',
      parts: [{ type: 'tool', callId: 'b', name: 'read', input: { path: 'x' }, state: 'interrupted' }],
    }),
    message(4, { role: 'assistant', parts: [{ type: 'text', text: 'Seven.', state: 'done' }] }),
  ],
  marks: [
    {
      kind: 'compaction',
      id: 'c',
      sessionId: 's',
      round: 1,
      strategy: 'reactive-overflow',
      reason: 'threshold',
      tokensBefore: 9_000,
      tokensAfter: 3_000,
      summary: { ledger: 'Commands: wc', narrative: 'Counted once.' },
      hides: ['m2'],
      createdAt: 25,
    },
    { kind: 'prune', id: 'p', messageId: 'm2', partIndex: 1, compactedAt: 24 },
  ],
  damaged: [{ table: 'parts', id: 'p9', reason: 'not JSON' }],
};

it('shows the whole session, and marks the messages that the model no longer sees', () => {
  const text = transcript(log, { columns: 60, colors: false, state: 'completed' });
  expect(text.split('\n').slice(5)).toEqual([
    '',
    '╎ hidden from the model by a compaction',
    '',
    '! damaged: parts p9: not JSON',
    '',
    'm1 user',
    'Count',
    '',
    '╎ m2 assistant',
    '╎ I count.',
    '╎ ✓ bash   wc (exit 0) [pruned]',
    '╎ files: 1 changed (+3 −1)',
    '',
    '◆ compacted 9k → 3k tokens, 1 message hidden (reactive-overflow, round 1)',
    '│ Commands: wc',
    '│ ',
    '│ Counted once.',
    '',
    'm3 assistant',
    '✗ read   x (interrupted)',
    '',
    'm4 assistant',
    'Seven.',
    '',
  ]);
});

it('keeps the order of the log if the clock was set back, and puts a compaction after what it hides', () => {
  const back: SessionLog = {
    ...log,
    messages: log.messages.map((one) => ({ ...one, createdAt: one.sequence <= 2 ? 1_000 : one.sequence })),
    marks: log.marks.map((mark) => (mark.kind === 'compaction' ? { ...mark, createdAt: 1 } : mark)),
    damaged: [],
  };
  const text = transcript(back, { columns: 60, colors: false, state: 'completed' });
  expect(text.match(/^(?:╎ )?m\d|◆ compacted/gm)).toEqual(['m1', '╎ m2', '◆ compacted', 'm3', 'm4']);
});

it('shows what is left out of requests because the server refused it', () => {
  const omit = {
    kind: 'omit',
    id: 'o',
    messageId: 'm4',
    partIndex: 0,
    what: 'all',
    refusalId: 'r',
    createdAt: 50,
  } as const;
  const text = transcript({ ...log, marks: [omit] }, { columns: 80, colors: false, state: 'completed' });
  expect(text).toContain('Seven.\n[left out of requests: the server refused it]\n');
  expect(text.match(/left out of requests/g)).toHaveLength(1);
});

it('marks the messages that a revert took out of the conversation', () => {
  const revert = { kind: 'revert', id: 'r', at: 4, to: 2, branchedAt: 30, createdAt: 60 } as const;
  const [last] = log.messages.slice(-1);
  const next = { ...message(5, { role: 'assistant', parts: [] }), ...(last && { parts: last.parts }) };
  const reverted: SessionLog = { ...log, messages: [...log.messages, next], marks: [revert], damaged: [] };
  const text = transcript(reverted, { columns: 60, colors: false, state: 'completed' });
  expect(text).toContain('✕ reverted: no longer part of the conversation\n');
  expect(text.match(/^(?:[╎✕] )?m\d/gm)).toEqual(['m1', 'm2', '✕ m3', '✕ m4', 'm5']);
  expect(text).toContain('✕ Seven.');
});

it('names the session that sent a message', () => {
  const origin = { kind: 'session', sessionId: 's2', title: 'Other' } as const;
  const sent: Message = {
    ...message(5, {
      role: 'user',
      parts: [
        { type: 'notice', text: 'Message from session "Other" (s2), not from the user:', forModel: true },
        { type: 'text', text: 'Hello.', state: 'done' },
      ],
    }),
    metadata: { synthetic: 'sent', origins: [origin, origin] },
  };
  const shown = transcript(
    { ...log, messages: [sent], marks: [] },
    { columns: 80, colors: false, state: 'active' },
  );
  expect(shown).toContain(
    'm5 session "Other"\nMessage from session "Other" (s2), not from the user:\nHello.\n',
  );
});
