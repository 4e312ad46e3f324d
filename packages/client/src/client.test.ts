import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { slowClock, stopClock } from '@longhaul/testing/clock';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from './client.ts';
import type { ApiSchemas } from './schema-source.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A real HTTP server whose responses the test defines. */
class Play implements AsyncDisposable {
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] =
    [];
  readonly #server = createServer();
  handle: Handler = () => undefined;

  static async open(handle: Handler): Promise<Play> {
    const play = new Play();
    play.handle = handle;
    play.#server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      play.requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      });
      play.handle(request, response, body);
    });
    await new Promise<void>((resolve) => play.#server.listen(0, '127.0.0.1', resolve));
    return play;
  }

  get baseUrl(): string {
    const address: AddressInfo | string | null = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  client(more: Partial<Parameters<typeof createClient>[0]> = {}) {
    const schemas = () => import('@longhaul/protocol/api');
    return createClient({ baseUrl: this.baseUrl, token: 'tk', retryDelayMs: 1, schemas, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const refusal = (code: string, message = code) => ({
  error: { code, message, retryable: false, data: { x: 1 } },
});
const SENT = { ok: true, queued: false, id: 'm', runId: 'r' };

let play: Play;
afterEach(() => play[Symbol.asyncDispose]());

it('validates responses when late schemas have arrived, and returns them as they are before', async () => {
  play = await Play.open((_, response) => json(response, 200, { sessions: 'none' }));
  const late = Promise.withResolvers<ApiSchemas>();
  const client = play.client({ schemas: late.promise });
  expect(await client.sessions.list()).toEqual({ sessions: 'none' });
  late.resolve(await import('@longhaul/protocol/api'));
  await late.promise;
  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'server_bad_response' });
});

it('returns JSON as it is without schemas, and refuses a response that is not JSON', async () => {
  const bodies = ['{"sessions":"none"}', '<html>'];
  play = await Play.open((_, response) => void response.writeHead(200).end(bodies.shift()));
  const client = createClient({ baseUrl: play.baseUrl });
  expect(await client.sessions.list()).toEqual({ sessions: 'none' });
  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'server_bad_response' });
});

describe('requests', () => {
  it.each([301, 302, 303, 307, 308])(
    'refuse a redirect with status %i, with its target in the error',
    async (status) => {
      await using other = await Play.open((_request, response) => json(response, 200, SENT));
      play = await Play.open(
        (_request, response) =>
          void response.writeHead(status, { location: `${other.baseUrl}/x?token=secret` }).end(),
      );
      const error = await play
        .client()
        .sessions.create({ task: 'secret plan' })
        .catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'server_bad_response' });
      expect(error.message).toContain(`${play.baseUrl} redirects the request to ${other.baseUrl}. Nothing`);
      expect(error.message).not.toContain('token=secret');
      expect([play.requests.length, other.requests]).toEqual([1, []]);
    },
  );

  it.each([
    [{ baseUrl: 'localhost:4140' }, 'baseUrl is "localhost:4140"'],
    [{ baseUrl: '/api' }, 'http://127.0.0.1:4140'],
    [{ token: 'a b' }, 'token file'],
    [{ token: '' }, 'token file'],
  ])('are refused for invalid options %j', async (options, message) => {
    play = await Play.open(() => undefined);
    expect(() => play.client(options)).toThrowError(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    );
  });

  it('carry the token, the path with its parameters, the query and the body', async () => {
    play = await Play.open((_, response) => json(response, 200, SENT));
    const client = play.client({ baseUrl: `${play.baseUrl}/behind/a/proxy/`, token: 'tk\n' });
    expect(await client.sendMessage('a/b?', 'Hi', { idempotencyKey: 'k1' })).toEqual(SENT);
    expect(play.requests[0]).toMatchObject({
      method: 'POST',
      url: '/behind/a/proxy/api/sessions/a%2Fb%3F/messages',
      headers: { authorization: 'Bearer tk', 'idempotency-key': 'k1', 'content-type': 'application/json' },
      body: '{"content":"Hi"}',
    });
    play.handle = (_, response) => json(response, 200, { sessions: [] });
    await client.sessions.list({ limit: 3, search: 'a b' });
    expect(play.requests[1]?.url).toBe('/behind/a/proxy/api/sessions?limit=3&search=a+b');
  });

  it('send the handle of the approval request if it is known (several calls may have the same id)', async () => {
    const request = { callId: 'c1', handle: 'm2.0' };
    const approval = { ...request, sessionId: 's', toolName: 'bash', args: {}, requestedAt: 1 };
    play = await Play.open((_, response) => json(response, 200, { ok: true, approval, isNew: true }));
    const client = play.client();
    await client.approvals.answer('s', request, { answer: 'once' });
    await client.approvals.answer('s', 'c1', { answer: 'deny' });
    expect(play.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/api/sessions/s/approvals/c1', { answer: 'once', handle: 'm2.0' }],
      ['/api/sessions/s/approvals/c1', { answer: 'deny' }],
    ]);
  });

  it('wait for the time in Retry-After before they are retried', async () => {
    slowClock();
    const cameAt: number[] = [];
    play = await Play.open((_, response) => {
      cameAt.push(performance.now());
      if (cameAt.length > 1) return json(response, 200, { models: [] });
      response.setHeader('retry-after', '1');
      json(response, 429, refusal('rate_limited'));
    });
    await play.client().models();
    const [first = 0, second = 0] = cameAt;
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });

  it('throw the server’s error code, and report responses of other programs', async () => {
    play = await Play.open((_, response) => json(response, 404, refusal('session_not_found')));
    const client = play.client();
    await expect(client.sessions.get('x')).rejects.toMatchObject({
      code: 'session_not_found',
      data: { x: 1 },
    });
    play.handle = (_, response) => void response.writeHead(404).end('<h1>nginx</h1>');
    await expect(client.sessions.get('x')).rejects.toMatchObject({
      code: 'server_bad_response',
      data: { status: 404 },
    });
    play.handle = (_, response) => json(response, 200, { other: true });
    await expect(client.sessions.list()).rejects.toMatchObject({ code: 'server_bad_response' });
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 1, retryDelayMs: 1 });
    await expect(nobody.models()).rejects.toMatchObject({ code: 'server_unreachable' });
    play.handle = () => undefined;
    const cancelled = client.sessions.list({}, { signal: AbortSignal.timeout(20) });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('are retried with one idempotency key, and only if that is safe', async () => {
    let failures = 2;
    const flaky: Handler = (_, response) => {
      failures -= 1;
      if (failures === 1) response.destroy();
      else if (failures === 0) json(response, 503, refusal('shutting_down'));
      else json(response, 200, SENT);
    };
    play = await Play.open(flaky);
    await play.client().sendMessage('s', 'Hi');
    expect(new Set(play.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(play.requests).toHaveLength(3);
    failures = 2;
    await expect(play.client().compact('s')).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(play.requests).toHaveLength(4);
  });
});

/** A stored event of the session. */
const stored = (number: number): LonghaulEvent => ({
  ...({ type: 'context:warning', message: `${number}` } satisfies EventPayload),
  sessionId: 's',
  at: 0,
  number,
});
const chunk = (offset: number, content: string): LonghaulEvent => ({
  type: 'llm:chunk',
  chunkType: 'text',
  content,
  messageId: 'm',
  partIndex: 0,
  offset,
  sessionId: 's',
  at: 0,
});
const frame = (event: LonghaulEvent) =>
  `${event.number === undefined ? '' : `id: ${event.number}\n`}data: ${JSON.stringify(event)}\n\n`;
const afterOf = (url = '') => Number(new URL(url, 'http://x').searchParams.get('after'));

async function collect(events: AsyncIterable<LonghaulEvent>, until: (event: LonghaulEvent) => boolean) {
  const seen: LonghaulEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (until(event)) break;
  }
  return seen;
}
const open = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

/** Calls back whenever bytes of an answer have arrived and the client has seen them. */
function fetchThatReports(onBytes: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          setImmediate(onBytes);
        },
      }),
    );
    return Object.defineProperty(new Response(body ?? null, response), 'url', { value: response.url });
  };
}

describe('the stream of events', () => {
  it('reconnects after every kind of failure without losing or repeating events', async () => {
    const text = 'Long text, äöü€😀, in many pieces.'.repeat(20);
    const COUNT = 200;
    let written = 0;
    let sent = 0;
    // Each connection sends some events and pieces of text, then breaks in a different way. Sent events count as
    // stored.
    const breaks: ((response: ServerResponse) => void)[] = [
      (response) => response.destroy(),
      (response) => response.end(),
      (response) => response.end('event: resync\ndata: {"reason":"slow"}\n\n'),
      (response) => void response.write('id: 9999\nda', () => response.destroy()),
    ];
    let connection = 0;
    play = await Play.open((request, response) => {
      open(response);
      for (let number = afterOf(request.url) + 1; number <= sent; number += 1)
        response.write(frame(stored(number)));
      if (written > 0) response.write(frame(chunk(0, text.slice(0, written))));
      for (let count = 0; count < 7 && sent < COUNT; count += 1) {
        sent += 1;
        const next = Math.min(text.length, written + 5);
        response.write(frame(chunk(written, text.slice(written, next))));
        response.write(frame(stored(sent)));
        written = next;
      }
      connection += 1;
      breaks[connection % breaks.length]?.(response);
    });
    const seen = await collect(play.client().events('s', { after: 0 }), ({ number }) => number === COUNT);
    expect(seen.flatMap(({ number }) => number ?? [])).toEqual(
      Array.from({ length: COUNT }, (_, index) => index + 1),
    );
    const pieces = seen.flatMap((event) => (event.type === 'llm:chunk' ? event.content : []));
    expect(pieces.join('')).toBe(text);
    expect(connection).toBeGreaterThan(20);
  });

  it('starts after the newest event if no number is given', async () => {
    play = await Play.open((request, response) => {
      if (!request.url?.includes('/events')) {
        const session = {
          id: 's',
          createdAt: 1,
          updatedAt: 1,
          status: 'active',
          task: '',
          title: '',
          model: 'a/b',
          workspace: '/',
        };
        json(response, 200, { ...session, state: 'active', lastEvent: 41, queued: 0 });
      } else open(response).write(frame(stored(42)));
    });
    const seen = await collect(play.client().events('s'), () => true);
    expect(seen).toEqual([stored(42)]);
    expect(play.requests.map(({ url }) => url)).toEqual([
      '/api/sessions/s',
      '/api/sessions/s/events?after=41',
    ]);
  });

  it('reconnects after silence, but not while heartbeats arrive', async () => {
    stopClock();
    const reasons: string[] = [];
    let left = 30;
    let beat = () => {};
    let passing: NodeJS.Timeout | undefined;
    play = await Play.open((_, response) => {
      open(response).flushHeaders();
      if (play.requests.length === 1) {
        passing = setInterval(() => vi.advanceTimersByTime(100), 1);
        return;
      }
      clearInterval(passing);
      beat = () => {
        left -= 1;
        response.write(left > 0 ? ': still here\n\n' : frame(stored(1)));
      };
      beat();
    });
    // Half of the allowed silence passes between one heartbeat and the next, fifteen times the allowed silence in all.
    const afterBeat = () => {
      if (left === 0) return;
      vi.advanceTimersByTime(500);
      beat();
    };
    const events = play.client({ fetch: fetchThatReports(afterBeat) }).events('s', {
      after: 0,
      silenceMs: 1_000,
      onReconnect: ({ message }) => reasons.push(message),
    });
    expect(await collect(events, () => true)).toEqual([stored(1)]);
    expect(reasons).toEqual(['Received no data for 1000 ms, not even a heartbeat.']);
    expect(left).toBe(0);
  });

  it('does not treat a suspended program as a silent server (data that had arrived was discarded and requested again)', async () => {
    stopClock();
    const silenceMs = 200;
    play = await Play.open((_, response) => {
      open(response).write(frame(stored(1)));
      // The event is sent by then. The timer that is due runs before the event is read.
      setImmediate(() => vi.advanceTimersToNextTimer());
    });
    expect(await collect(play.client().events('s', { after: 0, silenceMs }), () => true)).toEqual([
      stored(1),
    ]);
    expect(play.requests).toHaveLength(1);
  });

  it('ends when its signal aborts or its session is deleted, and throws errors that are not retryable', async () => {
    play = await Play.open((_, response) => void open(response).write(frame(stored(1))));
    const controller = new AbortController();
    const seen: LonghaulEvent[] = [];
    for await (const event of play.client().events('s', { after: 0, signal: controller.signal })) {
      seen.push(event);
      controller.abort();
    }
    expect(seen).toEqual([stored(1)]);
    play.handle = (_, response) => void open(response).end('event: resync\ndata: {"reason":"deleted"}\n\n');
    expect(await collect(play.client().events('s', { after: 0 }), () => false)).toEqual([]);
    play.handle = (_, response) => json(response, 401, refusal('unauthorized'));
    await expect(collect(play.client().events('s', { after: 0 }), () => false)).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  it('reopens the stream once after a gap in a text', async () => {
    play = await Play.open(
      (_, response) => void open(response).write(frame(chunk(5, 'late')) + frame(stored(1))),
    );
    const seen = await collect(play.client().events('s', { after: 0 }), ({ number }) => number === 1);
    expect(seen).toEqual([chunk(5, 'late'), stored(1)]);
    expect(play.requests).toHaveLength(2);
  });

  it('reopens the stream after a gap in the numbers, and continues if the events do not exist', async () => {
    play = await Play.open((request, response) => {
      const numbers = afterOf(request.url) === 0 ? [1, 4] : play.requests.length === 2 ? [2, 3, 4, 7] : [7];
      open(response).write(numbers.map((number) => frame(stored(number))).join(''));
    });
    const seen = await collect(play.client().events('s', { after: 0 }), ({ number }) => number === 7);
    expect(seen.map(({ number }) => number)).toEqual([1, 2, 3, 4, 7]);
    expect(play.requests.map(({ url }) => afterOf(url))).toEqual([0, 1, 4]);
  });

  it('reconnects if response headers never arrive (a proxy held the request back forever)', async () => {
    slowClock();
    play = await Play.open((_, response) => {
      if (play.requests.length > 1) open(response).write(frame(stored(1)));
    });
    const seen = await collect(play.client().events('s', { after: 0, silenceMs: 1_000 }), () => true);
    expect(seen).toEqual([stored(1)]);
    expect(play.requests).toHaveLength(2);
  });

  it('refuses a page of a proxy as a stream (it was requested again and again)', async () => {
    play = await Play.open((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Sign in</title>'),
    );
    await expect(collect(play.client().events('s', { after: 0 }), () => true)).rejects.toMatchObject({
      code: 'server_bad_response',
      message: expect.stringContaining('text/html'),
    });
    expect(play.requests).toHaveLength(1);
  });

  it('reconnects after a resync with an unknown reason', async () => {
    play = await Play.open((_, response) => {
      if (play.requests.length === 1) open(response).end('event: resync\ndata: {"reason":"tired"}\n\n');
      else open(response).write(frame(stored(1)));
    });
    expect(await collect(play.client().events('s', { after: 0 }), () => true)).toEqual([stored(1)]);
  });

  it('reports changes of other processes between the events of all sessions', async () => {
    play = await Play.open(
      (_, response) =>
        void open(response).write(`${frame(stored(1))}event: changed\ndata: {}\n\n${frame(stored(2))}`),
    );
    const seen: (LonghaulEvent | string)[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    for await (const event of play.client().allEvents({ signal, onChanged: () => seen.push('changed') })) {
      seen.push(event);
      if (event.number === 2) controller.abort();
    }
    expect(seen).toEqual([stored(1), 'changed', stored(2)]);
  });

  it('yields no event after its signal has aborted, even if it has arrived', async () => {
    play = await Play.open(
      (_, response) => void open(response).write(frame(stored(1)) + frame(stored(2)) + frame(stored(3))),
    );
    const controller = new AbortController();
    const seen: LonghaulEvent[] = [];
    for await (const event of play.client().events('s', { after: 0, signal: controller.signal })) {
      seen.push(event);
      controller.abort();
    }
    expect(seen).toEqual([stored(1)]);
  });
});
