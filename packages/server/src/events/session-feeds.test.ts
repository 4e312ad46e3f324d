import type { Store } from '@longhaul/core';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import type { FrameReader } from './frame-reader.ts';
import { SessionFeeds } from './session-feeds.ts';

const SESSION = { id: 's', createdAt: 1, task: 't', title: 't', model: 'm/m', workspace: '/w' };
const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' };

/** A reader that keeps what it is told. */
function createReader(): FrameReader & { told: string[] } {
  const told: string[] = [];
  return {
    told,
    isClosed: false,
    send: (frame) => void told.push(frame),
    heartbeat: () => undefined,
    drained: async () => undefined,
    end: () => undefined,
  };
}

it('keeps a session for a reader on its way in: an answer that ended meanwhile let it go, and the reader heard nothing more', async () => {
  await using memory = createMemoryStore();
  await memory.createSession(SESSION);
  const started: EventPayload = { type: 'run:started', runId: 'r', task: 't', model: 'm/m' };
  const { lease } = await memory.acquireLease('s', {
    runId: 'r',
    owner: OWNER,
    ttlMs: 60_000,
    isAlive: () => true,
    events: [started],
  });
  let emit: (event: LonghaulEvent) => void = () => undefined;
  const tell = async (payload: EventPayload) => {
    for (const event of await memory.appendEvents(lease, [payload])) emit(event);
  };
  const response = {
    type: 'llm:response',
    content: 'x',
    provider: 'm',
    model: 'm',
    finishReason: 'stop',
  } as const;
  // While the reader is told what it has missed, an answer ends.
  let isFirst = true;
  const store: Store = {
    ...memory,
    async readEvents(...args) {
      const page = await memory.readEvents(...args);
      if (isFirst) {
        isFirst = false;
        await tell(response);
      }
      return page;
    },
  };
  using feeds = new SessionFeeds({
    store,
    runtime: {
      subscribe: (listener) => {
        emit = listener;
        return () => undefined;
      },
    },
    mask: (text) => text,
    heartbeatMs: 60_000,
    maxBufferBytes: 1_000_000,
    maxReaders: 10,
    onFailure: (error) => {
      throw error;
    },
  });
  const reader = createReader();
  await feeds.openReader('s', 0, () => reader);
  await tell({ type: 'context:warning', message: 'and then' });
  expect(reader.told.map((frame) => /"type":"([^"]+)"/.exec(frame)?.[1])).toEqual([
    'run:started',
    'llm:response',
    'context:warning',
  ]);
});
