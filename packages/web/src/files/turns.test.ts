import type { ListedMessage } from '@longhaul/protocol/api';
import { describe, expect, it } from 'vitest';
import { turnsOf } from './turns.ts';

function message(
  sequence: number,
  role: 'user' | 'assistant',
  text: string,
  more: object = {},
): ListedMessage {
  return {
    id: `id-${sequence}`,
    sessionId: 's',
    sequence,
    role,
    parts: [{ type: 'text', text, state: 'done' }],
    status: 'done',
    createdAt: sequence,
    tokenCount: 1,
    visibility: {
      handle: `m${sequence}`,
      isPinned: false,
      prunedParts: [],
      cutParts: [],
      omittedParts: [],
    },
    ...more,
  };
}

describe('turnsOf', () => {
  it('names the first and the last message of each turn, newest first', () => {
    const messages = [
      message(3, 'assistant', 'The end of a turn that is not loaded'),
      message(4, 'user', `First\nsecond line`),
      message(5, 'assistant', 'Done.'),
      message(6, 'user', 'A note of the program', { metadata: { synthetic: 'environment' } }),
      message(7, 'assistant', 'More.'),
      message(8, 'user', 'x'.repeat(100)),
    ];
    expect(turnsOf(messages)).toEqual([
      { handle: 'm8', last: 'm8', text: `${'x'.repeat(80)}…`, isReverted: false },
      { handle: 'm4', last: 'm7', text: 'First', isReverted: false },
    ]);
  });
});
