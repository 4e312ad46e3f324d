import { currentClaimant } from '@longhaul/core';
import { expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

async function ask(server: TestServer, id: string, text: string, more: object = {}): Promise<string> {
  const messages = [{ id, role: 'user', parts: [{ type: 'text', text }] }];
  const response = await server.fetch('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', messages, ...more }),
  });
  return response.text();
}

const read = (server: TestServer) =>
  server.call<{ sessionId: string; messages: { id: string }[] }>('GET', '/api/chat/chat');

async function hide(server: TestServer, sessionId: string, count: number): Promise<void> {
  const { messages } = await server.store.readMessages(sessionId, { after: 0, limit: count });
  const { lease } = await server.store.acquireLease(sessionId, {
    runId: 'hold',
    ttlMs: 60_000,
    ...currentClaimant(),
  });
  await server.store.recordCompaction(lease, {
    id: 'c1',
    round: 1,
    strategy: 's',
    reason: 'manual',
    hides: messages.map(({ id }) => id),
    summary: { ledger: 'facts', narrative: '' },
    tokensBefore: 2,
    tokensAfter: 1,
    createdAt: 1,
  });
  await server.store.finishRun(lease, {
    status: 'completed',
    sessionStatus: 'completed',
    onlyIfQueueEmpty: false,
    events: [],
  });
}

it('goes back to a message that a compaction hides, without loading other hidden messages', async () => {
  await using server = await startTestServer();
  for (const id of ['one', 'two', 'three']) await ask(server, id, id);
  const before = await read(server);
  await hide(server, before.sessionId, 4);
  server.store.loadLog = () => Promise.reject(new Error('loadLog must not be called.'));
  expect(await ask(server, 'two', 'two anew', { messageId: 'two' })).toContain('[DONE]');
  const after = await read(server);
  expect(after.sessionId).not.toBe(before.sessionId);
  expect(after.messages.map(({ id }) => id)).toEqual(['one', 'answer-one', 'two', 'answer-two']);
  expect(JSON.stringify(after.messages)).toContain('You said: two anew');
});
