import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { type EventPayload, type LonghaulEvent, subtaskMetadata } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type ClientFeatures, NO_FEATURES } from '../client-features.ts';
import { EventTranslator } from './event-translator.ts';

function translator(features: Partial<ClientFeatures> = {}) {
  const made = new EventTranslator({
    features: { ...NO_FEATURES, ...features },
    folder: '/work',
    newId: () => 'compaction',
  });
  const push = (...payloads: EventPayload[]): SessionUpdate[] =>
    payloads.flatMap((payload) => made.push({ ...payload, sessionId: 's', at: 0 } satisfies LonghaulEvent));
  return push;
}

const call = (callId: string, toolName = 'bash', args = { command: 'ls' }): EventPayload => ({
  type: 'llm:tool-call',
  toolName,
  args,
  callId,
});
const result = (callId: string, toolName = 'bash'): EventPayload => ({
  type: 'llm:tool-result',
  toolName,
  callId,
  success: true,
  sanitized: [{ type: 'text', text: 'out' }],
});
const response = (content: string): EventPayload => ({
  type: 'llm:response',
  content,
  provider: 'p',
  model: 'm',
  finishReason: 'stop',
});
const idOf = (update: SessionUpdate | undefined) =>
  update !== undefined && 'toolCallId' in update ? update.toolCallId : undefined;

it('gives a call its own id if the provider uses a call id again', () => {
  const push = translator();
  const updates = push(call('x'), result('x'), call('x'), result('x'));
  expect(updates.map(idOf)).toEqual(['x', 'x', 'x#2', 'x#2']);
});

it('shows the answer of a run without chunks once, and only the rest of a streamed one', () => {
  const push = translator();
  const chunk: EventPayload = {
    type: 'llm:chunk',
    chunkType: 'text',
    content: 'Hel',
    messageId: '1',
    partIndex: 0,
    offset: 0,
  };
  const textOf = (updates: SessionUpdate[]) =>
    updates.flatMap((update) => ('content' in update ? [JSON.stringify(update.content)] : [])).join();
  expect(textOf(push({ type: 'llm:thinking' }, response('Hello')))).toContain('Hello');
  push({ type: 'llm:thinking' }, chunk);
  expect(textOf(push(response('Hello')))).toContain('"lo"');
});

it('ends calls of an answer that broke off, and of a run that ended, as failed', () => {
  const push = translator();
  push(call('x'));
  const error = { code: 'provider_stream_cut', message: 'cut', retryable: true } as const;
  expect(push({ type: 'llm:error', error, recoverable: true })).toEqual([
    { sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'failed' },
  ]);
  push(call('y'));
  expect(push(finished())).toMatchObject([{ toolCallId: 'y', status: 'failed' }]);
});

it('ends calls of a process that died, except those that wait for approval', () => {
  const made = new EventTranslator({ features: NO_FEATURES, folder: '/work', newId: () => 'x' });
  const push = (payload: EventPayload, waiting?: ReadonlySet<string>) =>
    made.push({ ...payload, sessionId: 's', at: 0 } satisfies LonghaulEvent, { waiting });
  push(call('x'));
  push(call('y'));
  const counts = { unknownCalls: 1, unstartedCalls: 1, partialText: false };
  const repaired: EventPayload = { type: 'run:repaired', runIds: [], message: 'Interrupted.', ...counts };
  expect(push(repaired, new Set(['y']))[0]).toMatchObject({ toolCallId: 'x', status: 'failed' });
  expect(push(result('y'))).toMatchObject([{ toolCallId: 'y', status: 'completed' }]);
});

it('ends a compaction once: completed, without effect, or with the run', () => {
  const push = translator({ showsCompactions: true });
  const compacting: EventPayload = { type: 'session:status', status: 'compacting' };
  const statuses = (updates: SessionUpdate[]) =>
    updates.flatMap((update) => (update.sessionUpdate === 'compaction_update' ? [update.status] : []));
  const compressed: EventPayload = {
    type: 'context:compressed',
    originalTokens: 20_000,
    compressedTokens: 900,
    originalMessages: 9,
    compressedMessages: 2,
    strategy: 'reactive-overflow',
    reason: 'threshold',
    round: 1,
  };
  const idle: EventPayload = { type: 'session:status', status: 'idle' };
  expect(statuses(push(compacting, compacting, compressed, idle))).toEqual(['in_progress', 'completed']);
  expect(statuses(push(compacting, idle))).toEqual(['in_progress', 'cancelled']);
  expect(statuses(push(compacting, { type: 'llm:thinking' }))).toEqual(['in_progress', 'cancelled']);
  expect(statuses(push(compacting, finished()))).toEqual(['in_progress', 'failed']);
});

it('adds up the cost of all answers, and sends it with the size of the window', () => {
  const push = translator();
  push({ type: 'context:usage', tokens: 10, usableTokens: 80, windowTokens: 100 });
  push({ ...response('a'), cost: 0.5 } as EventPayload);
  expect(push({ ...response('b'), cost: 0.25 } as EventPayload).at(-1)).toEqual({
    sessionUpdate: 'usage_update',
    used: 10,
    size: 100,
    cost: { amount: 0.75, currency: 'USD' },
  });
});

it('sends retries only to a client that shows notices, and warnings to all', () => {
  const retry: EventPayload = { type: 'llm:retry', attempt: 1, delayMs: 1_500, reason: 'overloaded' };
  const warning: EventPayload = { type: 'context:warning', message: 'Careful.' };
  expect(translator()(retry)).toEqual([]);
  expect(translator()(warning)).toMatchObject([{ content: { text: '> Careful.\n\n' } }]);
  expect(translator({ showsNotices: true })(retry, warning)).toMatchObject([
    { title: expect.stringContaining('2 s'), severity: 'info' },
    { title: 'Careful.', severity: 'warning' },
  ]);
});

it('names the session that sent a message to a client that shows notices', () => {
  const origins = [{ kind: 'session', sessionId: 's2', title: 'Other' } as const];
  const came: EventPayload = { type: 'message:dequeued', count: 1, ids: ['q'], coalesced: false, origins };
  expect(translator({ showsNotices: true })(came)).toMatchObject([
    { title: 'A message of session "Other" arrived.' },
  ]);
});

function finished(): EventPayload {
  const none = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cacheReadTokens: 0 };
  return {
    type: 'run:finished',
    runId: 'r',
    status: 'failed',
    stepCount: 0,
    usage: { ...none, cacheWriteTokens: 0, totalTokens: 0 },
    text: '',
    compactions: 0,
  };
}

it('shows the newest lines of a command, and what other tools report in words', () => {
  const push = translator();
  push(call('a'), call('b', 'docs_search'));
  const contentOf = (progress: Omit<Extract<EventPayload, { type: 'llm:tool-progress' }>, 'type'>) =>
    push({ type: 'llm:tool-progress', ...progress }).map((update) => 'content' in update && update.content);
  const block = (text: string) => [[{ type: 'content', content: { type: 'text', text } }]];
  expect(contentOf({ callId: 'a', title: 'ls', metadata: { lines: ['one', 'two'] } })).toEqual(
    block('```\none\ntwo\n```'),
  );
  expect(contentOf({ callId: 'b', title: '3 of 10\u001b[2J', metadata: { progress: 3, total: 10 } })).toEqual(
    block('```\n3 of 10\\u001b[2J\n```'),
  );
});

it('shows what the child session of a call does, and when one in the background ends', () => {
  const push = translator({ showsNotices: true });
  const facts = {
    sessionId: 'k',
    agent: 'explore',
    state: 'running',
    title: 'grep zebra',
    steps: 3,
  } as const;
  const updates = push(call('t', 'task', { command: '' }), {
    type: 'llm:tool-progress',
    callId: 't',
    title: 'explore: grep zebra',
    metadata: subtaskMetadata({ ...facts, tokens: 4_200, contextPercent: 21 }),
  });
  expect(updates.at(-1)).toMatchObject({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't',
    title: 'task explore: grep zebra',
    content: [{ content: { text: expect.stringContaining('running: 3 steps, 4200 tokens, 21 %') } }],
    _meta: { longhaul: { subtask: { sessionId: 'k', agent: 'explore' } } },
  });
  const ended = { ...facts, state: 'completed', isBackground: true } as const;
  const place = { callId: 't', handle: 'm2.0' };
  expect(JSON.stringify(push({ type: 'subtask:finished', ...place, facts: ended }))).toContain(
    'The subtask m2.0 (explore) in the background has ended: completed.',
  );
});
