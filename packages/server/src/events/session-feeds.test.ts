import type { Lease, Store } from '@longhaul/core';
import { type EventPayload, type LonghaulEvent, ZERO_USAGE } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import type { FrameReader } from './frame-reader.ts';
import { SessionFeeds } from './session-feeds.ts';

const SESSION = { id: 's', createdAt: 1, task: 't', title: 't', model: 'm/m', workspace: '/w' };
const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' };
const STARTED: EventPayload = { type: 'run:started', runId: 'r', task: 't', model: 'm/m' };
const FINISHED: EventPayload = {
  ...{ type: 'run:finished', runId: 'r', status: 'completed', stepCount: 1, text: '', compactions: 0 },
  usage: ZERO_USAGE,
};
const warning = (message: string): EventPayload => ({ type: 'context:warning', message });
const response = (content: string): EventPayload => ({
  ...{ type: 'llm:response', content, provider: 'm', model: 'm', finishReason: 'stop' },
});

/** A reader that records what it receives: event types, and texts with their offsets. */
class Listener implements FrameReader {
  readonly told: string[] = [];
  readonly waitingBytes = 0;
  isClosed = false;
  onClose: () => void = () => undefined;

  send(frame: string): void {
    const event: LonghaulEvent = JSON.parse(/data: (.*)/.exec(frame)?.[1] ?? '');
    if (event.type === 'llm:chunk') this.told.push(`${event.offset}: ${event.content}`);
    else if (event.type === 'context:warning') this.told.push(event.message);
    else this.told.push(event.type);
  }

  heartbeat(): void {}

  async drained(): Promise<void> {}

  end(reason: string): void {
    this.isClosed = true;
    this.told.push(reason);
  }
}

/** Feeds of one process, on a store that another process also writes to. */
class Bench implements AsyncDisposable {
  /** Advances by 1 with each call. */
  readonly now = () => {
    this.#time += 1;
    return this.#time;
  };
  #time = 0;
  readonly memory = createMemoryStore({ now: this.now });
  readonly store: Store;
  readonly feeds: SessionFeeds;
  /** Callbacks that run once, after the store has read and before the result is returned. */
  meanwhile: Partial<Record<'lastEventNumber' | 'readEvents', () => unknown>> = {};
  #emit: (event: LonghaulEvent) => void = () => undefined;
  #changed: () => void = () => undefined;
  /** How many listeners the store has for changes of other processes. */
  watching = 0;
  #lease: Lease | undefined;
  #messages = 0;

  constructor() {
    const { memory } = this;
    this.store = {
      ...memory,
      lastEventNumber: async (...args) =>
        this.#then('lastEventNumber', await memory.lastEventNumber(...args)),
      readEvents: async (...args) => this.#then('readEvents', await memory.readEvents(...args)),
      watch: (listener) => {
        this.#changed = listener;
        this.watching += 1;
        return {
          [Symbol.dispose]: () => {
            this.watching -= 1;
          },
        };
      },
    };
    this.feeds = new SessionFeeds({
      store: this.store,
      runtime: {
        subscribe: (listener) => {
          this.#emit = listener;
          return () => undefined;
        },
      },
      mask: (text) => text,
      heartbeatMs: 60_000,
      goodbyeMs: 5_000,
      room: { maxBytesEach: 1_000_000, maxBytes: 10_000_000 },
      maxReaders: 10,
      onFailure: (error) => {
        throw error;
      },
    });
  }

  async #then<Value>(name: keyof Bench['meanwhile'], value: Value): Promise<Value> {
    const act = this.meanwhile[name];
    delete this.meanwhile[name];
    await act?.();
    return value;
  }

  async begin(): Promise<this> {
    await this.memory.createSession(SESSION);
    const claim = { runId: 'r', owner: OWNER, ttlMs: 60_000, isAlive: () => true };
    this.#lease = (await this.memory.acquireLease('s', { ...claim, events: [STARTED] })).lease;
    return this;
  }

  async read(after = 0): Promise<Listener> {
    const reader = new Listener();
    await this.feeds.openReader('s', { after, mayRead: async () => true }, (onClose) => {
      reader.onClose = onClose;
      return reader;
    });
    return reader;
  }

  get lease(): Lease {
    if (this.#lease === undefined) throw new Error('No run has begun.');
    return this.#lease;
  }

  /** Stores and emits events, as a run of this process does. */
  async emit(...payloads: EventPayload[]): Promise<void> {
    for (const event of await this.memory.appendEvents(this.lease, payloads)) this.#emit(event);
  }

  /** Streams an answer, as a run of this process does. */
  async stream(content: string): Promise<void> {
    const messageId = await this.answer(content);
    this.chunk(messageId, content);
    for (const event of await this.#close(messageId, content)) this.#emit(event);
  }

  chunk(messageId: string, content: string): void {
    const place = { messageId, partIndex: 0, offset: 0 };
    this.#emit({ type: 'llm:chunk', chunkType: 'text', content, ...place, sessionId: 's', at: this.now() });
  }

  /** Stores events, as another process does. The feeds notice them when `look` is called. */
  async write(...payloads: EventPayload[]): Promise<void> {
    await this.memory.appendEvents(this.lease, payloads);
  }

  /** Stores an unfinished answer with this text. */
  async answer(text: string): Promise<string> {
    this.#messages += 1;
    const id = `a${this.#messages}`;
    const base = { role: 'assistant', status: 'running', tokenCount: 1 } as const;
    await this.memory.appendMessage(this.lease, { ...base, id, parts: [], createdAt: this.now() });
    await this.memory.putPart(
      this.lease,
      { messageId: id, index: 0 },
      { type: 'text', text, state: 'running' },
    );
    return id;
  }

  async whole(text: string): Promise<void> {
    await this.#close(await this.answer(text), text);
  }

  async broken(text: string, error: EventPayload): Promise<void> {
    const closing = { status: 'failed', tokenCount: 1 } as const;
    await this.memory.closeMessage(this.lease, await this.answer(text), closing);
    await this.write(error);
  }

  #close(messageId: string, text: string): Promise<LonghaulEvent[]> {
    const closing = { status: 'done', tokenCount: 1 } as const;
    return this.memory.closeMessage(this.lease, messageId, closing, [response(text)]);
  }

  look(): void {
    this.#changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.feeds[Symbol.dispose]();
    await this.memory[Symbol.asyncDispose]();
  }
}

it('keeps the topic while a reader is attached (an answer that ended in the meantime dropped it, and the reader got no more events)', async () => {
  await using bench = await new Bench().begin();
  // An answer ends while the reader gets the events it had missed.
  bench.meanwhile.readEvents = () => bench.emit(response('x'));
  const reader = await bench.read();
  await bench.emit(warning('and then'));
  expect(reader.told).toEqual(['run:started', 'llm:response', 'and then']);
});

it.each(['lastEventNumber', 'readEvents'] as const)(
  'sends an event that another process stores while a reader is attached, at %s (it was only sent with the next change)',
  async (moment) => {
    await using bench = await new Bench().begin();
    bench.meanwhile[moment] = async () => {
      await bench.write(warning('meanwhile'));
      bench.look();
    };
    const reader = await bench.read();
    await expect.poll(() => reader.told).toEqual(['run:started', 'meanwhile']);
  },
);

it('reads the store again after another process writes while a gap is filled', async () => {
  await using bench = await new Bench().begin();
  const reader = await bench.read();
  await bench.write(warning('in the hole'));
  bench.meanwhile.readEvents = async () => {
    await bench.write(warning('meanwhile'));
    bench.look();
  };
  await bench.emit(warning('behind it'));
  await expect.poll(() => reader.told).toEqual(['run:started', 'in the hole', 'behind it', 'meanwhile']);
});

it('sends several answers of another process in order (the text of the next came before the end of the last, and twice)', async () => {
  await using bench = await new Bench().begin();
  const reader = await bench.read(1);
  await bench.whole('one');
  await bench.write(warning('a tool'));
  await bench.whole('two');
  // The next answer starts after the events are read and before the messages are read.
  bench.meanwhile.readEvents = () => bench.answer('three');
  bench.look();
  const first = ['0: one', 'llm:response', 'a tool', '0: two', 'llm:response', '0: three'];
  await expect.poll(() => reader.told).toEqual(first);
  bench.look();
  await bench.write(warning('last'));
  bench.look();
  await expect.poll(() => reader.told).toEqual([...first, 'last']);
});

it('sends the text of a failed answer before its error, and the retry after it', async () => {
  await using bench = await new Bench().begin();
  const reader = await bench.read(1);
  const error = { code: 'provider_stream_cut', message: 'Cut.', retryable: true } as const;
  await bench.broken('half', { type: 'llm:error', error, recoverable: true });
  await bench.whole('all of it');
  bench.look();
  const told = ['0: half', 'llm:error', '0: all of it', 'llm:response'];
  await expect.poll(() => reader.told).toEqual(told);
});

it('does not repeat the text of a run of this process when another process continues', async () => {
  await using bench = await new Bench().begin();
  const reader = await bench.read(1);
  await bench.stream('said here');
  await bench.emit(FINISHED);
  await bench.write(STARTED);
  await bench.answer('said there');
  bench.look();
  const told = ['0: said here', 'llm:response', 'run:finished', 'run:started', '0: said there'];
  await expect.poll(() => reader.told).toEqual(told);
});

it('ends a reader whose session is deleted while it is attached (it waited forever)', async () => {
  await using bench = await new Bench().begin();
  bench.meanwhile.readEvents = () => bench.feeds.drop('s');
  expect((await bench.read()).told).toEqual(['run:started', 'deleted']);
});

it('looks at the changes of other processes only while there are readers', async () => {
  await using bench = await new Bench().begin();
  expect(bench.watching).toBe(0);
  const [first, second] = [await bench.read(), await bench.read()];
  expect(bench.watching).toBe(1);
  first.onClose();
  expect(bench.watching).toBe(1);
  second.onClose();
  expect(bench.watching).toBe(0);
  await expect(
    bench.feeds.openReader('unknown', { after: 0, mayRead: async () => true }, () => new Listener()),
  ).rejects.toThrow();
  expect(bench.watching).toBe(0);
});

it('sends a new reader what another process stored while nobody read', async () => {
  await using bench = await new Bench().begin();
  const first = await bench.read();
  // A topic with text of this process outlives its last reader.
  const messageId = await bench.answer('x');
  bench.chunk(messageId, 'x');
  first.onClose();
  await bench.write(warning('unseen'));
  const second = await bench.read();
  await expect.poll(() => second.told).toEqual(['run:started', 'unseen', '0: x']);
});
