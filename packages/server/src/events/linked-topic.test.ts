import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { stopClock } from '@longhaul/testing/clock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ClusterAddress } from '../cluster/cluster-address.ts';
import { SessionTopic } from './session-topic.ts';

const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' };
const SESSION = { id: 's', createdAt: 1, task: 't', title: 't', model: 'm/m', workspace: '/w' };
const STARTED: EventPayload = { type: 'run:started', runId: 'r', task: 't', model: 'm/m' };
const response: EventPayload = {
  ...{ type: 'llm:response', content: 'ab', provider: 'm', model: 'm', finishReason: 'stop' },
};
const chunk = (offset: number, content: string): LonghaulEvent => ({
  ...{ type: 'llm:chunk', sessionId: 's', at: 1, messageId: 'm', partIndex: 0, chunkType: 'text' },
  ...{ offset, content },
});

/** A server that drives a session, as far as another one sees it. */
async function owner() {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200).flushHeaders();
    resolve(outgoing);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const bound = server.address();
  const address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  const send = async (event: LonghaulEvent) => void (await asked).write(`${JSON.stringify(event)}\n`);
  return { address, send };
}

/** A topic with a listener, linked to the owner, which has sent the first piece of an answer. */
async function linked() {
  stopClock();
  const { address, send } = await owner();
  const memory = createMemoryStore();
  await memory.createSession(SESSION);
  const claim = { runId: 'r', owner: OWNER, ttlMs: 60_000, isAlive: () => true };
  const { lease } = await memory.acquireLease('s', { ...claim, events: [STARTED] });
  let asked = () => {};
  const topic = new SessionTopic({
    sessionId: 's',
    store: {
      ...memory,
      leaseHolder: async () => ({ runId: 'r', epoch: 1, owner: OWNER, expiresAt: 0, address }),
      lastEventNumber: async (id) => {
        asked();
        return memory.lastEventNumber(id);
      },
    },
    mask: (text) => text,
    onFailure: (error) => {
      throw error;
    },
    cluster: new ClusterAddress({ secret: 'the-secret-of-this-test', address: 'http://127.0.0.1:1' }),
  });
  using _coming = topic.expectReader();
  await topic.anchor();
  const got: string[] = [];
  let told = () => {};
  const listening = topic.listen((event) => {
    got.push(event.type === 'llm:chunk' ? event.content : event.type);
    told();
  });
  onTestFinished(() => listening[Symbol.dispose]());
  const until = async (count: number) => {
    while (got.length < count) await new Promise<void>((resolve) => (told = resolve));
    return got;
  };
  await send(chunk(0, 'a'));
  await until(1);
  /** The store has changed, and the topic asks it. */
  const changed = async () => {
    await topic.catchUp();
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    vi.advanceTimersByTime(1_000);
    await isAsked;
  };
  return { memory, lease, send, topic, changed, until };
}

it('lets no stored event overtake the text before it that the owner has still to send', async () => {
  const { memory, lease, send, changed, until } = await linked();
  const [stored] = await memory.appendEvents(lease, [response]);
  await changed();
  await send(chunk(1, 'b'));
  if (stored !== undefined) await send(stored);
  expect(await until(3)).toEqual(['a', 'b', 'llm:response']);
});

it('reads the store when the owner does not send what it has stored', async () => {
  const { memory, lease, changed, until } = await linked();
  await memory.appendEvents(lease, [response]);
  await changed();
  await changed();
  expect(await until(2)).toEqual(['a', 'llm:response']);
});
