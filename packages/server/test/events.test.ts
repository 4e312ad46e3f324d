import { setTimeout as sleep } from 'node:timers/promises';
import type { LonghaulEvent } from '@longhaul/protocol';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { isEvent, openStream, type Stream } from './sse-client.ts';
import { gate, pieces, startTestServer, testRuntime } from './test-server.ts';

const LONG = Array.from({ length: 700 }, (_, index) => `wörd${index} 🙂 `).join('');
const text = (content: string) => ({ content });

/** Assembles text from chunks as docs/api.md describes. Throws on a gap, and on text that arrives twice. */
class Assembled {
  readonly numbers: number[] = [];
  readonly texts = new Map<string, string>();
  responses: string[] = [];

  get last(): number | undefined {
    return this.numbers.at(-1);
  }

  /** @param seen Parts whose text this connection has sent: the text so far is sent whole once per connection. */
  add(event: LonghaulEvent, seen: Set<string>): void {
    if (event.number !== undefined) {
      expect(event.number).toBe((this.last ?? event.number - 1) + 1);
      this.numbers.push(event.number);
    }
    if (event.type === 'llm:response') this.responses.push(event.content);
    if (event.type !== 'llm:chunk') return;
    const key = `${event.messageId}.${event.partIndex}`;
    const known = this.texts.get(key) ?? '';
    if (seen.has(key)) expect(event.offset).toBe(known.length);
    else if (event.offset === 0) seen.add(key);
    expect(event.offset).toBeLessThanOrEqual(known.length);
    this.texts.set(key, known.slice(0, event.offset) + event.content);
  }
}

/** Reads until a run has ended, and reconnects if the stream ends earlier. */
async function readToEnd(url: string, after: number, assembled = new Assembled()): Promise<Assembled> {
  for (;;) {
    await using stream = await openStream(url, { after: assembled.last ?? after });
    await stream.until((block) => block.event === 'resync' || isEvent('run:finished')(block));
    const seen = new Set<string>();
    for (const event of stream.events) assembled.add(event, seen);
    if (stream.events.some(({ type }) => type === 'run:finished')) return assembled;
  }
}

const numbered = ({ events }: Stream) => events.filter(({ number }) => number !== undefined);

/** A paused reader of a test must get the last event, however long the test takes until it reads on. */
const PATIENCE_MS = 100_000;

describe('events of a session over HTTP', () => {
  it('sends all events after a number, then live events, each once and in order, with the number as id', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, text('one'));
    await using first = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    await first.until(isEvent('run:finished'));
    const known = first.events.filter(({ number }) => number !== undefined);
    const cut = known.at(2)?.number;
    await using second = await openStream(`${server.url}/api/sessions/${id}/events`, { after: cut });
    await server.call('POST', `/api/sessions/${id}/messages`, text('two'));
    await second.until(({ data }) => data?.includes('"content":"You said: two"') === true);
    const numbers = second.events.flatMap(({ number }) => number ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => (cut ?? 0) + 1 + index));
    for (const block of second.blocks) {
      if (block.data === undefined) continue;
      const { number } = JSON.parse(block.data);
      expect(block.id).toBe(number === undefined ? undefined : String(number));
    }
    expect(second.blocks[0]).toEqual({ retry: undefined });
  });

  it('delivers exactly the stored text to a reader that reconnects 1,000 times during one answer', async () => {
    const go = gate();
    await using server = await startTestServer({
      play: () =>
        pieces(LONG, {
          size: 7,
          pause: async (sent) => {
            if (sent > LONG.length - 100) await go.wait();
            else if (sent % 3 === 0) await sleep(1);
          },
        }),
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, text('go'));
    const assembled = new Assembled();
    const url = `${server.url}/api/sessions/${id}/events`;
    const read = async (stream: Stream, want: number) => {
      if (want > 0) await stream.until(({ data }) => data !== undefined);
    };
    for (let round = 0; round < 1_000; round += 1) {
      await using stream = await openStream(url, { after: assembled.last ?? 0 });
      await read(stream, round % 3);
      const seen = new Set<string>();
      for (const event of stream.events) assembled.add(event, seen);
    }
    go.open();
    await using last = await openStream(url, { after: assembled.last ?? 0 });
    await last.until(isEvent('run:finished'));
    const seen = new Set<string>();
    for (const event of last.events) assembled.add(event, seen);
    const stored = (await server.store.loadLog(id)).messages.at(-1);
    const part = stored?.parts[0];
    expect(part?.type === 'text' && part.text).toBe(LONG);
    expect(assembled.responses).toEqual([LONG]);
    // The last pieces may only arrive with the complete answer.
    const received = assembled.texts.get(`${stored?.id}.0`) ?? '';
    expect([received.length > LONG.length - 200, LONG.startsWith(received)]).toEqual([true, true]);
    expect(assembled.numbers).toEqual(assembled.numbers.map((_, index) => index + 1));
  });

  it('sends the text so far once, then new pieces, to a reader that joins during an answer', async () => {
    const go = gate();
    await using server = await startTestServer({
      play: (_, { signal }) =>
        pieces('Hello, this goes on.', {
          pause: async (sent) => (sent === 10 ? go.wait(signal) : undefined),
        }),
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, text('go'));
    const { lastEvent } = await server.call<{ lastEvent: number }>('GET', `/api/sessions/${id}`);
    await using early = await openStream(`${server.url}/api/sessions/${id}/events`);
    await early.until(
      ({ data }) => data?.includes('"content":"Hello') === true || data?.includes(', thi') === true,
    );
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events`, { after: lastEvent });
    await stream.until(isEvent('llm:chunk'));
    go.open();
    await stream.until(isEvent('llm:response'));
    const chunks = stream.events.flatMap((event) =>
      event.type === 'llm:chunk' ? [[event.offset, event.content]] : [],
    );
    expect(chunks).toEqual([
      [0, 'Hello, thi'],
      [10, 's goe'],
      [15, 's on.'],
    ]);
  });

  it('sends the events of a run in another process, and its text as it is stored', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    const other = await openSqliteStore({ path: `${server.folder}/longhaul.db` });
    await using _other = other;
    const go = gate();
    const runtime = testRuntime(other, createFileBlobStore(`${server.folder}/blobs`), () =>
      pieces('From elsewhere it comes.', { pause: async (sent) => (sent === 10 ? go.wait() : undefined) }),
    );
    const run = runtime.run(id, { content: [{ type: 'text', text: 'hi' }] });
    await stream.until(isEvent('llm:chunk'));
    await using late = await openStream(`${server.url}/api/sessions/${id}/events`);
    await late.until(isEvent('llm:chunk'));
    go.open();
    await run;
    for (const reader of [stream, late]) {
      await reader.until(isEvent('run:finished'));
      const assembled = new Assembled();
      const seen = new Set<string>();
      for (const event of reader.events) assembled.add(event, seen);
      expect([...assembled.texts.values()]).toEqual(['From elsewhere it comes.']);
      expect(assembled.responses).toEqual(['From elsewhere it comes.']);
    }
    const stored = await server.store.readEvents(id);
    await expect.poll(() => numbered(stream)).toEqual(stored);
  });

  it('leaves out pieces of text for readers of all sessions that want numbered events', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    await using all = await openStream(`${server.url}/api/events`);
    await using numbered = await openStream(`${server.url}/api/events?numbered=true`);
    await server.call('POST', `/api/sessions/${id}/messages`, text('x'));
    await Promise.all([all.until(isEvent('run:finished')), numbered.until(isEvent('run:finished'))]);
    expect(numbered.events).toEqual(all.events.filter(({ number }) => number !== undefined));
    expect(all.events.length).toBeGreaterThan(numbered.events.length);
  });

  it('tells the readers of all sessions that another process has changed the store', async () => {
    await using server = await startTestServer();
    await using all = await openStream(`${server.url}/api/events`);
    const id = await server.newSession();
    await using one = await openStream(`${server.url}/api/sessions/${id}/events`);
    await using other = await openSqliteStore({ path: `${server.folder}/longhaul.db` });
    await other.updateSession(id, { title: 'From elsewhere' });
    await all.until(({ event }) => event === 'changed');
    expect(one.blocks.some(({ event }) => event === 'changed')).toBe(false);
    expect(all.events).toEqual([]);
  });

  it('sends the event of a message that another process queues during a run', async () => {
    const go = gate();
    await using server = await startTestServer({
      play: (_, { signal }) => pieces('ab', { size: 1, pause: () => go.wait(signal) }),
    });
    const id = await server.newSession();
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    await server.call('POST', `/api/sessions/${id}/messages`, text('go'));
    await stream.until(isEvent('llm:chunk'));
    const other = await openSqliteStore({ path: `${server.folder}/longhaul.db` });
    await using _other = other;
    const runtime = testRuntime(other, createFileBlobStore(`${server.folder}/blobs`));
    await runtime.send(id, [{ type: 'text', text: 'from outside' }]);
    go.open();
    await stream.until(isEvent('run:finished'));
    const stored = await server.store.readEvents(id);
    await expect.poll(() => numbered(stream)).toEqual(stored);
  });

  it('disconnects a slow reader without waiting for it, and the reader misses nothing after it reconnects', async () => {
    let emit: (event: LonghaulEvent) => void = () => {};
    await using test = await startTestServer({
      limits: { readerBufferBytes: 100_000, goodbyeMs: PATIENCE_MS },
      spyOn: (listener) => {
        const others = emit;
        emit = (event) => {
          others(event);
          listener(event);
        };
      },
    });
    const id = await test.newSession();
    const url = `${test.url}/api/sessions/${id}/events`;
    await using slow = await openStream(`${url}?after=0`);
    await slow.until(({ data }) => data === undefined);
    slow.response.pause();
    const metadata = { output: 'x'.repeat(20_000) };
    // More data than fits into the buffers of a socket.
    for (let round = 0; round < 1_000; round += 1) {
      emit({ type: 'llm:tool-progress', callId: 'c', metadata, sessionId: id, at: round });
      if (round % 50 === 0) await sleep(1);
    }
    await test.call('POST', `/api/sessions/${id}/messages`, text('hello'));
    slow.response.resume();
    await slow.ended;
    expect(slow.blocks.at(-1)).toEqual({ event: 'resync', data: '{"reason":"slow"}' });
    const assembled = await readToEnd(url, 0);
    expect(assembled.responses).toEqual(['You said: hello']);
  });

  it('disconnects the reader with the most waiting data above the limit of all readers', async () => {
    let emit: (event: LonghaulEvent) => void = () => {};
    await using test = await startTestServer({
      limits: { readerBufferBytes: 1_000_000_000, readersBufferBytes: 1_000_000, goodbyeMs: PATIENCE_MS },
      spyOn: (listener) => {
        const others = emit;
        emit = (event) => {
          others(event);
          listener(event);
        };
      },
    });
    const [one, other] = [await test.newSession(), await test.newSession()];
    await using slow = await openStream(`${test.url}/api/sessions/${one}/events?after=0`);
    await using quick = await openStream(`${test.url}/api/sessions/${other}/events?after=0`);
    for (const stream of [slow, quick]) await stream.until(({ data }) => data === undefined);
    slow.response.pause();
    const metadata = { output: 'x'.repeat(20_000) };
    for (let round = 0; round < 1_000; round += 1) {
      for (const sessionId of [one, other])
        emit({ type: 'llm:tool-progress', callId: 'c', metadata, sessionId, at: round });
      if (round % 10 > 0) continue;
      await expect.poll(() => quick.events.length, { interval: 1 }).toBeGreaterThan(round);
    }
    await test.call('POST', `/api/sessions/${other}/messages`, text('hello'));
    await quick.until(isEvent('run:finished'));
    slow.response.resume();
    await slow.ended;
    expect(slow.blocks.at(-1)).toEqual({ event: 'resync', data: '{"reason":"slow"}' });
    expect(quick.blocks.some(({ event }) => event === 'resync')).toBe(false);
  });

  it('sends a large number of missed bytes completely', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    const url = `${server.url}/api/sessions/${id}/events`;
    for (const word of ['a', 'b', 'c']) {
      await server.call('POST', `/api/sessions/${id}/messages`, text(word.repeat(100_000)));
      await readToEnd(url, 0);
    }
    const { lastEvent } = await server.call<{ lastEvent: number }>('GET', `/api/sessions/${id}`);
    await using stream = await openStream(`${url}?after=0`);
    await stream.until(({ data }) => data !== undefined && JSON.parse(data).number === lastEvent);
    const numbers = stream.events.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it('sends comments into an idle stream, and the events of all sessions without ids', async () => {
    await using server = await startTestServer({ limits: { heartbeatMs: 200 } });
    const ids = [await server.newSession(), await server.newSession()];
    await using all = await openStream(`${server.url}/api/events`);
    await all.until(({ comment }) => comment !== undefined);
    for (const id of ids) await server.call('POST', `/api/sessions/${id}/messages`, text('x'));
    for (const id of ids)
      await all.until(({ data }) => data?.includes(id) === true && data.includes('run:finished'));
    expect(all.blocks.every(({ id }) => id === undefined)).toBe(true);
  });

  it('masks secrets, and keeps the offsets of the text', async () => {
    const secret = 'sk-very-secret-0123456789';
    await using server = await startTestServer({
      options: { secrets: [secret] },
      play: () => pieces(`before ${secret} after`, { size: 100 }),
    });
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, text('go'));
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    await stream.until(isEvent('run:finished'));
    const exported = await (await server.fetch(`/api/sessions/${id}/export`)).text();
    const shown = JSON.stringify(stream.blocks) + exported + server.log.join('');
    expect(shown).toContain(`before ${'*'.repeat(secret.length)} after`);
    expect(shown).not.toContain(secret);
  });

  it('masks secrets in messages, search hits and titles', async () => {
    const secret = 'sk-"very"-secret\\0123456789';
    await using server = await startTestServer({
      options: { secrets: [secret] },
      play: () => pieces(`before ${secret} after`, { size: 100 }),
    });
    const id = await server.newSession({ title: `of ${secret}`, metadata: { key: secret } });
    await server.call('POST', `/api/sessions/${id}/messages`, text(`uses ${secret}`));
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events?after=0`);
    await stream.until(isEvent('run:finished'));
    const paths = ['', '/messages', '/queue', '/context', '/export'].map(
      (end) => `/api/sessions/${id}${end}`,
    );
    for (const path of [...paths, '/api/sessions', '/api/search?q=before', '/api/search?q=secret']) {
      const shown = JSON.stringify(await server.call('GET', path));
      expect([path, shown.includes('0123456789')]).toEqual([path, false]);
    }
    const messages = JSON.stringify(await server.call('GET', `/api/sessions/${id}/messages`));
    expect(messages).toContain(`before ${'*'.repeat(secret.length)} after`);
    expect(JSON.stringify(stream.blocks)).not.toContain('0123456789');
  });

  it('ends the stream of a deleted session, and refuses an unknown session', async () => {
    await using server = await startTestServer();
    const id = await server.newSession();
    await using stream = await openStream(`${server.url}/api/sessions/${id}/events`);
    await server.call('DELETE', `/api/sessions/${id}`);
    await stream.until(({ event, data }) => event === 'resync' && data === '{"reason":"deleted"}');
    await stream.ended;
    const gone = await server.fetch(`/api/sessions/${id}/events`);
    expect(gone.status).toBe(404);
    expect(await gone.json()).toMatchObject({ error: { code: 'session_not_found' } });
  });
});
