import type { LonghaulClient } from '@longhaul/client';
import { type EventPayload, LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import { afterEach, expect, it } from 'vitest';
import { FollowedSession } from './followed-session.ts';
import type { OpenApproval } from './session-state.ts';

const FACTS = {
  id: 's',
  workspace: '/work',
  title: 'The title',
  model: 'one',
  task: 'task',
  createdAt: 1,
  updatedAt: 1,
  status: 'active' as const,
  state: 'active' as const,
};
const UNREACHABLE = () => new LonghaulError('server_unreachable', 'No response.');
const text = (words: string) => [{ type: 'text' as const, text: words }];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server that is played: what it knows can be set, and its events are sent one by one. */
function follow() {
  const server = {
    state: 'active',
    title: FACTS.title,
    queue: [] as { id: string; content: ReturnType<typeof text>; metadata?: object }[],
    approvals: [] as OpenApproval[],
    calls: [] as string[],
    fails: undefined as (() => Error) | undefined,
    /** A model that messages wait for. */
    loading: undefined as PromiseWithResolvers<void> | undefined,
    /** Answers are on their way until it resolves. */
    gate: Promise.resolve(),
    lose: (() => undefined) as () => void,
  };
  const waiting: { event: LonghaulEvent; done: () => void }[] = [];
  let wake: () => void = () => undefined;
  const call = <T>(name: string, result: () => T) => {
    server.calls.push(name);
    if (server.fails !== undefined) throw server.fails();
    return result();
  };
  const client = {
    sessions: {
      get: async () => {
        const facts = call('get', () => ({ ...FACTS, state: server.state, title: server.title }));
        await server.gate;
        return facts;
      },
    },
    approvals: {
      list: async () => call('approvals', () => ({ approvals: server.approvals })),
      answer: async () => call('answer', () => undefined),
    },
    queue: {
      list: async () => call('queue', () => ({ messages: [...server.queue] })),
      remove: async (_: string, id: string) =>
        call(`remove ${id}`, () => {
          const index = server.queue.findIndex((message) => message.id === id);
          if (index === -1) throw new LonghaulError('not_found', 'It is not in the queue.');
          server.queue.splice(index, 1);
        }),
    },
    sendMessage: async (_: string, content: ReturnType<typeof text>, { idempotencyKey = '' }) => {
      await server.loading?.promise;
      return call('send', () => void server.queue.push({ id: idempotencyKey, content }));
    },
    cancel: async () =>
      call('cancel', () => server.loading?.reject(new LonghaulError('cancelled', 'Nobody waits.'))),
    resume: async () => call('resume', () => undefined),
    async *events(_: string, { signal, onReconnect }: { signal: AbortSignal; onReconnect: () => void }) {
      server.lose = onReconnect;
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else {
          yield next.event;
          next.done();
        }
      }
    },
  };
  const heard: string[] = [];
  const session = new FollowedSession(FACTS, {
    // The parts of the client that a session uses.
    client: client as unknown as LonghaulClient,
    listener: {
      onMessage: ({ content: [part], isOwn }) =>
        heard.push(`${isOwn ? 'own' : 'other'}: ${part?.type === 'text' && part.text}`),
      onEvent: ({ type }) => heard.push(type),
      onChange: () => undefined,
      onRemark: (remark) => heard.push(remark),
    },
  });
  session.follow(0);
  ends.push(() => session.leave());
  /** Resolves when the event was taken. */
  const emit = (payload: EventPayload) =>
    new Promise<void>((done) => {
      waiting.push({ event: { ...payload, sessionId: 's', at: 1 }, done });
      wake();
    });
  const until = async (remark: string) => expect.poll(() => heard, { interval: 1 }).toContain(remark);
  return { server, session, state: session.state, heard, emit, until };
}

const dequeued = (...ids: string[]): EventPayload => ({
  type: 'message:dequeued',
  count: ids.length,
  ids,
  coalesced: false,
});
const finished = {
  type: 'run:finished',
  runId: 'r',
  status: 'completed',
  stepCount: 1,
  text: '',
  compactions: 0,
};
const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const FINISHED = { ...finished, usage } as unknown as EventPayload;
const STARTED: EventPayload = { type: 'run:started', runId: 'r', task: '', model: 'one' };

it('shows a sent message as undelivered until the agent has it, and names it as its own', async () => {
  const { session, state, heard, emit, server } = follow();
  await session.send(text('one'));
  const [sent] = state.queue.undelivered;
  expect(sent?.content).toEqual(text('one'));
  expect(state.isBusy).toBe(true);
  server.queue = [];
  await emit(dequeued(sent?.id ?? ''));
  expect(heard).toEqual(['own: one', 'message:dequeued']);
  expect(state.queue.undelivered).toEqual([]);
});

it('is busy while it waits for its turn, and knows its position', async () => {
  const { state, emit } = follow();
  await emit({ type: 'run:waiting', position: 3 });
  expect([state.isBusy, state.position]).toEqual([true, 3]);
  await emit({ type: 'run:waiting' });
  expect([state.isBusy, state.position]).toEqual([false, undefined]);
  await emit({ type: 'run:waiting', position: 1 });
  await emit({ type: 'run:started', runId: 'r', task: '', model: 'one' });
  expect([state.isBusy, state.position]).toEqual([true, undefined]);
});

it('lists messages that somebody else queued', async () => {
  const { state, heard, emit, server } = follow();
  server.queue = [{ id: 'm', content: text('theirs') }];
  await emit({ type: 'message:queued', id: 'm', position: 1 });
  expect(state.queue.waiting.map(({ id }) => id)).toEqual(['m']);
  server.queue = [{ id: 'm', content: text('edited') }];
  await emit({ type: 'queue:changed', count: 1 });
  await emit(dequeued('m'));
  expect(heard).toEqual(['message:queued', 'queue:changed', 'other: edited', 'message:dequeued']);
  expect(state.queue.waiting).toEqual([]);
});

it('shows the unfinished answer of an active run, but not that of a dead run', async () => {
  const { heard, emit } = follow();
  const chunk: EventPayload = {
    type: 'llm:chunk',
    messageId: 'm',
    partIndex: 0,
    offset: 0,
    chunkType: 'text',
    content: 'an answer',
  };
  await emit(chunk);
  await emit(STARTED);
  await emit(chunk);
  expect(heard).toEqual(['run:started', 'llm:chunk']);
});

it('returns a message that the server did not accept, and is then idle', async () => {
  const { session, state, server } = follow();
  server.fails = () => new LonghaulError('model_not_configured', 'No model.');
  await expect(session.send(text('one'))).rejects.toMatchObject({ code: 'model_not_configured' });
  expect(state.isBusy).toBe(false);
  expect(state.queue.undelivered).toEqual([]);
});

it('stops: removes the waiting messages that were not just delivered, then cancels', async () => {
  const { session, server } = follow();
  await session.send(text('one'));
  await session.send(text('two'));
  const [first, second] = server.queue;
  expect((await session.stop()).map(({ content }) => content)).toEqual([text('one'), text('two')]);
  expect(server.calls.filter((name) => name.startsWith('remove'))).toEqual([
    `remove ${first?.id}`,
    `remove ${second?.id}`,
  ]);
  expect(server.calls.at(-1)).toBe('cancel');
  expect(await session.unqueue('delivered')).toBe(false);
});

it('shows what another session sent, and never takes it back', async () => {
  const { session, state, server, emit } = follow();
  const origin = { kind: 'session', sessionId: 's2', title: 'Other' };
  server.queue = [{ id: 'theirs', content: text('hello'), metadata: { origin } }];
  await emit({ type: 'message:queued', id: 'theirs', position: 1 });
  expect(state.queue.undelivered).toMatchObject([{ id: 'theirs', origin }]);
  expect(state.queue.written).toEqual([]);
  expect(await session.stop()).toEqual([]);
  expect(state.queue.deliver(['theirs'])).toMatchObject([{ isOwn: false, origin }]);
});

it('asks about open calls only while a run works', async () => {
  const { session, state, emit, server } = follow();
  const approval = { callId: 'c', handle: 'a1', toolName: 'bash', args: 'ls' };
  await emit(STARTED);
  server.state = 'running';
  server.approvals = [{ ...approval, alwaysAllows: ['ls'] }];
  await emit({ type: 'approval:requested', ...approval });
  expect(state.approvals).toMatchObject([{ alwaysAllows: ['ls'] }]);
  await emit({ type: 'approval:answered', callId: 'c', handle: 'a1', allowed: true });
  expect(state.approvals).toEqual([]);
  server.state = 'idle';
  await session.readState();
  expect(state.approvals).toEqual([]);
  server.state = 'running';
  await session.readState();
  expect(state.approvals).toHaveLength(1);
});

it('reads again if an event arrives while it reads', async () => {
  const { session, state, emit, server } = follow();
  const gate = Promise.withResolvers<void>();
  server.gate = gate.promise;
  const reading = session.readState();
  // The server has answered that nothing works, before the run began.
  server.state = 'running';
  await emit(STARTED);
  gate.resolve();
  await reading;
  expect(state.isBusy).toBe(true);
  expect(server.calls.filter((name) => name === 'get')).toHaveLength(2);
});

it('stops a message that waits for a model that is being loaded', async () => {
  const { session, state, server } = follow();
  server.loading = Promise.withResolvers();
  const refused = expect(session.send(text('one'))).rejects.toMatchObject({ code: 'cancelled' });
  expect(await session.stop()).toEqual([]);
  await refused;
  expect([state.isBusy, state.queue.undelivered]).toEqual([false, []]);
});

it('reports that an answer came too late', async () => {
  const { session, heard, server } = follow();
  server.fails = () => new LonghaulError('not_found', 'It is answered.');
  await session.answer({ callId: 'c', handle: 'a1', toolName: 'bash', args: 'ls' }, { answer: 'once' });
  expect(heard).toEqual(['Too late: somebody else has answered.']);
  server.fails = UNREACHABLE;
  await expect(
    session.answer({ callId: 'c', handle: 'a1', toolName: 'bash', args: 'ls' }, { answer: 'once' }),
  ).rejects.toMatchObject({ code: 'server_unreachable' });
});

it('reports a lost connection once, and reads the state when the server is back', async () => {
  const { state, heard, emit, until, server } = follow();
  server.state = 'running';
  await emit(STARTED);
  server.fails = UNREACHABLE;
  // The state cannot be read at the end of the run, and the stream fails several times.
  await emit(FINISHED);
  for (let count = 0; count < 5; count += 1) server.lose();
  await emit({ type: 'llm:thinking' });
  server.state = 'interrupted';
  server.title = 'Another title';
  server.fails = undefined;
  await until('Connected again.');
  expect(heard.filter((line) => line.startsWith('The connection was lost'))).toHaveLength(1);
  expect(state.isBusy).toBe(false);
  expect(state.title).toBe('Another title');
  // A later loss is reported again.
  server.lose();
  await expect
    .poll(() => heard.filter((line) => line === 'Connected again.'), { interval: 1 })
    .toHaveLength(2);
});

it('does not try again what can never succeed', async () => {
  const { heard, until, server } = follow();
  server.fails = () => new LonghaulError('session_not_found', 'The session was deleted.');
  server.lose();
  await until('The session was deleted.');
  expect(heard).not.toContain('Connected again.');
});

it('reports no errors of requests that end because the session was left', async () => {
  const { session, heard, server, emit } = follow();
  await emit({ type: 'llm:thinking' });
  server.fails = UNREACHABLE;
  await session.leave();
  server.lose();
  expect(heard).toEqual(['llm:thinking']);
});
