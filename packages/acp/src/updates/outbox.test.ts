import type { SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { Outbox } from './outbox.ts';
import { textChunk } from './text-chunk.ts';

const progress = (toolCallId: string, text: string): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status: 'in_progress',
  content: [{ type: 'content', content: { type: 'text', text } }],
});

/** A client that takes the first update only when it is released. */
function slowClient() {
  const sent: SessionNotification[] = [];
  const released = Promise.withResolvers<void>();
  const outbox = new Outbox(async (notification) => {
    sent.push(notification);
    await released.promise;
  });
  return { sent, outbox, release: released.resolve };
}

it('joins what waits for a slow client: text of one message, and the newest state of a call', async () => {
  const { sent, outbox, release } = slowClient();
  outbox.push('a', textChunk('agent_message_chunk', 'first', '0'));
  for (const word of ['one ', 'two ', 'three']) outbox.push('a', textChunk('agent_message_chunk', word, '1'));
  outbox.push('a', textChunk('agent_message_chunk', 'another', '2'));
  for (const text of ['10 %', '90 %']) outbox.push('a', [progress('call', text)]);
  outbox.push('a', [progress('other', '0 %')]);
  expect(sent).toHaveLength(1);
  release();
  await outbox.drained();
  const shown = sent.map(({ update }) => {
    const content = 'content' in update ? JSON.stringify(update.content) : '';
    return /"text":"([^"]*)"/.exec(content)?.[1];
  });
  expect(shown).toEqual(['first', 'one two three', 'another', '90 %', '0 %']);
});

it('keeps sessions and kinds apart', async () => {
  const { sent, outbox, release } = slowClient();
  outbox.push('a', textChunk('agent_message_chunk', 'first'));
  outbox.push('a', textChunk('agent_message_chunk', 'said'));
  outbox.push('b', textChunk('agent_message_chunk', 'elsewhere'));
  outbox.push('b', textChunk('agent_thought_chunk', 'thought'));
  release();
  await outbox.drained();
  expect(sent.map(({ sessionId, update }) => `${sessionId} ${update.sessionUpdate}`)).toEqual([
    'a agent_message_chunk',
    'a agent_message_chunk',
    'b agent_message_chunk',
    'b agent_thought_chunk',
  ]);
});

it('drops waiting updates when the client has disconnected', async () => {
  const tried: SessionUpdate[] = [];
  const outbox = new Outbox(({ update }) => {
    tried.push(update);
    return Promise.reject(new Error('closed'));
  });
  outbox.push('a', textChunk('agent_message_chunk', 'one', '1'));
  outbox.push('a', textChunk('agent_message_chunk', 'two', '2'));
  await outbox.drained();
  outbox.push('a', textChunk('agent_message_chunk', 'three', '3'));
  await outbox.drained();
  expect(tried).toMatchObject([{ messageId: '1' }, { messageId: '3' }]);
});
