import type { QueuedMessage } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { nextMessage } from './next-message.ts';

const message = (id: string): QueuedMessage => ({ id, content: [], queuedAt: 0 });

interface Typed {
  sent?: string[];
  waiting?: string[];
  rest?: string;
  isCompleted?: boolean;
  signal?: AbortSignal;
}

function next({ sent = [], waiting = [], rest = '', isCompleted = true, signal }: Typed) {
  const typing = {
    settled: async () => sent,
    offerRest: async () => rest || undefined,
    takeDraft: () => rest,
  };
  const queue = { list: async () => waiting.map(message) };
  const ended = { queue, sessionId: 's', isCompleted, signal: signal ?? new AbortController().signal };
  return nextMessage(typing, ended);
}

describe('nextMessage', () => {
  it('continues the session for a line that was queued when its run had ended, and keeps what is typed', async () => {
    expect(await next({ sent: ['a', 'b'], waiting: ['b'], rest: 'and' })).toEqual({
      kind: 'queued',
      draft: 'and',
    });
  });

  it('does nothing for delivered messages, and for messages of others, whose sender delivers them', async () => {
    expect(await next({ sent: ['a'], waiting: [] })).toBeUndefined();
    expect(await next({ sent: ['a'], waiting: ['other'] })).toBeUndefined();
  });

  it('leaves the messages of a run that has not completed in the queue', async () => {
    expect(await next({ sent: ['a'], waiting: ['a'], isCompleted: false })).toBeUndefined();
    expect(await next({ isCompleted: false, rest: 'more' })).toEqual({ kind: 'line', text: 'more' });
  });

  it('sends nothing after Ctrl-C', async () => {
    expect(
      await next({ sent: ['a'], waiting: ['a'], rest: 'more', signal: AbortSignal.abort() }),
    ).toBeUndefined();
  });
});
