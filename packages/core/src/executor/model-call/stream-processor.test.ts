import type { EventPayload, Part } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { stopClock } from '@longhaul/testing/clock';
import { failure, usageOf } from '@longhaul/testing/doubles';
import { describe, expect, it, vi } from 'vitest';
import type { StepEvent, Store } from '../../ports/index.ts';
import { EventHub } from '../../session/events/event-hub.ts';
import { currentOwner, isOwnerAlive } from '../../session/leases/lease-owner.ts';
import { SessionWriter } from '../../session/session-writer.ts';
import { StreamProcessor } from './stream-processor.ts';

/** Uses a store that records the writes in the order of their calls. */
async function setUp() {
  const memory = createMemoryStore();
  const writes: string[] = [];
  const store: Store = new Proxy(memory, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'appendMessage') writes.push('message');
        if (name === 'putPart') writes.push(describePart(args[1] as { index: number }, args[2] as Part));
        if (name === 'closeMessage') writes.push('close');
        return Reflect.apply(value, target, args);
      };
    },
  });
  const session = await store.createSession({
    id: 's',
    createdAt: 1,
    task: '',
    title: '',
    model: 'p/m',
    workspace: '/',
  });
  const { lease } = await store.acquireLease(session.id, {
    runId: 'r',
    owner: currentOwner(),
    ttlMs: 60_000,
    isAlive: isOwnerAlive,
  });
  const hub = new EventHub();
  const events: EventPayload[] = [];
  hub.subscribe((event) => events.push(event));
  const writer = new SessionWriter({ store, lease, hub, log: await store.loadLog(session.id) });
  const processor = new StreamProcessor({
    writer,
    blobs: createMemoryBlobStore(),
    model: 'p/m',
    costOf: () => 0.5,
  });
  const stored = async () => (await memory.loadLog('s')).messages;
  return { processor, writes, events, stored };
}

function describePart({ index }: { index: number }, part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning')
    return `${index} ${part.type} ${part.state} ${part.text.length}`;
  return part.type === 'tool' ? `${index} tool ${part.state}` : `${index} ${part.type}`;
}

async function* streamOf(events: readonly StepEvent[]): AsyncGenerator<StepEvent> {
  yield* events;
}

describe('StreamProcessor', () => {
  it('writes the message first, then its parts in the order of events', async () => {
    const { processor, writes, stored, events } = await setUp();
    const outcome = await processor.process(
      streamOf([
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', text: 'hm' },
        { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 'x' } } },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', text: 'I ' },
        { type: 'text-delta', id: 't', text: 'look.' },
        { type: 'text-end', id: 't' },
        { type: 'tool-input-start', callId: 'c', name: 'look' },
        { type: 'tool-input-delta', callId: 'c', text: '{}' },
        { type: 'tool-call', callId: 'c', name: 'look', input: {} },
        { type: 'finish', finishReason: 'tool-calls', usage: usageOf(10) },
      ]),
    );
    expect(writes).toEqual(['message', '0 reasoning done 2', '1 text done 7', '2 tool pending', 'close']);
    expect(outcome).toMatchObject({
      finishReason: 'tool-calls',
      hasToolCalls: true,
      text: 'I look.',
      cost: 0.5,
    });
    const [message] = await stored();
    expect(message?.parts).toEqual([
      { type: 'reasoning', text: 'hm', state: 'done', providerMetadata: { p: { signature: 'x' } } },
      { type: 'text', text: 'I look.', state: 'done' },
      { type: 'tool', callId: 'c', name: 'look', input: {}, state: 'pending' },
    ]);
    const chunks = events.filter((event) => event.type === 'llm:chunk');
    expect(chunks.map(({ content, offset, partIndex }) => [content, offset, partIndex])).toEqual([
      ['hm', 0, 0],
      ['I ', 0, 1],
      ['look.', 2, 1],
    ]);
  });

  it('flushes text before any other event, so that no text before a call is lost', async () => {
    const { processor, writes } = await setUp();
    await processor.process(
      streamOf([
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', text: 'first' },
        { type: 'tool-call', callId: 'c', name: 'look', input: {} },
        { type: 'text-delta', id: 't', text: ' more' },
        { type: 'text-end', id: 't' },
        { type: 'finish', finishReason: 'tool-calls' },
      ]),
    );
    expect(writes).toEqual(['message', '0 text running 5', '1 tool pending', '0 text done 10', 'close']);
  });

  it('flushes by size during a fast stream', async () => {
    stopClock();
    const { processor, writes } = await setUp();
    const delta = { type: 'text-delta', id: 't', text: 'x'.repeat(1_000) } as const;
    await processor.process(
      streamOf([
        { type: 'text-start', id: 't' },
        ...Array(9).fill(delta),
        { type: 'text-end', id: 't' },
        { type: 'finish', finishReason: 'stop' },
      ]),
    );
    expect(writes.slice(0, 3)).toEqual(['message', '0 text running 5000', '0 text done 9000']);
  });

  it('flushes by time during a slow stream', async () => {
    stopClock();
    const { processor, stored } = await setUp();
    let seen: unknown;
    async function* trickle(): AsyncGenerator<StepEvent> {
      yield { type: 'text-start', id: 't' };
      yield { type: 'text-delta', id: 't', text: 'slow' };
      while (seen === undefined) {
        vi.advanceTimersByTime(5);
        await new Promise((resolve) => setImmediate(resolve));
        seen = (await stored())[0]?.parts[0];
      }
      yield { type: 'finish', finishReason: 'stop' };
    }
    await processor.process(trickle());
    expect(seen).toEqual({ type: 'text', text: 'slow', state: 'running' });
  });

  it('keeps the order of parts when an empty text precedes a call', async () => {
    const { processor, stored } = await setUp();
    await processor.process(
      streamOf([
        { type: 'text-start', id: 't' },
        { type: 'tool-call', callId: 'c', name: 'look', input: {} },
        { type: 'finish', finishReason: 'tool-calls' },
      ]),
    );
    expect((await stored())[0]?.parts.map((part) => part.type)).toEqual(['text', 'tool']);
  });

  it('writes concurrently open parts in the order of their starts', async () => {
    const { processor, stored } = await setUp();
    await processor.process(
      streamOf([
        { type: 'text-start', id: 'a' },
        { type: 'text-start', id: 'b' },
        { type: 'text-delta', id: 'b', text: 'B' },
        { type: 'text-delta', id: 'a', text: 'A' },
        { type: 'text-end', id: 'a' },
        { type: 'text-end', id: 'b' },
        { type: 'finish', finishReason: 'stop' },
      ]),
    );
    expect((await stored())[0]?.parts).toMatchObject([{ text: 'A' }, { text: 'B' }]);
  });

  it('stores media as blob references', async () => {
    const { processor, stored } = await setUp();
    await processor.process(
      streamOf([
        { type: 'file', content: { type: 'image', data: 'aGk=', mediaType: 'image/png' } },
        { type: 'finish', finishReason: 'stop' },
      ]),
    );
    expect((await stored())[0]?.parts).toEqual([
      { type: 'file', mediaType: 'image/png', data: expect.stringMatching(/^@blob:[0-9a-f]{64}$/) },
    ]);
  });

  it('fails on an error event regardless of the finish reason, and leaves no open part', async () => {
    const { processor, stored } = await setUp();
    const outcome = await processor.process(
      streamOf([
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', text: 'half' },
        { type: 'tool-call', callId: 'c', name: 'look', input: {} },
        failure('provider_bad_response', 'malformed chunk'),
        { type: 'finish', finishReason: 'stop', usage: usageOf(5) },
      ]),
    );
    expect(outcome).toMatchObject({ error: { code: 'provider_bad_response' }, hasToolCalls: false });
    expect(outcome.usage).toBeUndefined();
    const [message] = await stored();
    expect(message).toMatchObject({
      status: 'failed',
      parts: [{ state: 'interrupted', text: 'half' }, { state: 'error' }],
    });
  });

  it('reports provider_stream_cut for a stream without a finish', async () => {
    const { processor } = await setUp();
    const outcome = await processor.process(streamOf([{ type: 'text-start', id: 't' }]));
    expect(outcome.error?.code).toBe('provider_stream_cut');
  });

  it('stores nothing if the call fails before any content', async () => {
    const { processor, stored } = await setUp();
    const outcome = await processor.process(streamOf([failure('provider_overloaded', 'overloaded')]));
    expect(outcome.message).toBeUndefined();
    expect(await stored()).toEqual([]);
  });
});
