import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedModelServer, type Fault, type ScriptedModelServer } from './index.ts';

const TEXT = 'one two three four five six seven eight nine ten';
let server: ScriptedModelServer;

afterEach(() => server.close());

async function start(fault: Fault, options: { by: 'script' | 'number' } = { by: 'script' }): Promise<OpenAI> {
  server = await createScriptedModelServer({
    script: ({ number }) =>
      number === 1 && options.by === 'script' ? { text: TEXT, fault } : { text: TEXT },
    chunkChars: 4,
    ...(options.by === 'number' && { faults: { 1: fault } }),
  });
  return new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0, logLevel: 'off' });
}

const hello = { model: 'scripted', messages: [{ role: 'user' as const, content: 'Hello' }] };

/** Returns the received text of a stream, its finish reason, and its error. */
async function read(
  client: OpenAI,
  signal?: AbortSignal,
): Promise<{ text: string; finish: string; error?: unknown }> {
  const seen = { text: '', finish: '' };
  try {
    const stream = await client.chat.completions.create({ ...hello, stream: true }, { signal });
    for await (const chunk of stream) {
      seen.text += chunk.choices[0]?.delta.content ?? '';
      seen.finish = chunk.choices[0]?.finish_reason ?? seen.finish;
    }
    return seen;
  } catch (error) {
    return { ...seen, error };
  }
}

describe.each(['script', 'number'] as const)('an error status set by %s', (by) => {
  it.each([
    [429, 'rate_limit_exceeded'],
    [500, null],
    [529, null],
  ])('%i is sent once, and the next request is answered', async (status, code) => {
    const client = await start({ kind: 'status', status, retryAfterMs: 1500 }, { by });
    const { error } = await read(client);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, code });
    const headers = error instanceof APIError ? error.headers : undefined;
    expect(headers?.get('retry-after')).toBe('2');
    expect(headers?.get('retry-after-ms')).toBe('1500');
    expect(server.requests[0]).toMatchObject({ outcome: 'fault', fault: 'status', status });
    expect(await read(client)).toEqual({ text: TEXT, finish: 'stop' });
  });
});

it('is retried by the OpenAI client after a 429', async () => {
  const client = await start({ kind: 'status', status: 429, retryAfterMs: 1 });
  expect(await read(client.withOptions({ maxRetries: 1 }))).toEqual({ text: TEXT, finish: 'stop' });
  expect(server.requests.map((request) => request.outcome)).toEqual(['fault', 'answered']);
});

describe('in the middle of a stream', () => {
  it('the socket is cut after the sent chunks', async () => {
    const client = await start({ kind: 'cut', afterChunks: 3 });
    const { text, finish, error } = await read(client);
    expect(text).toBe('one two ');
    expect(finish).toBe('');
    expect(error).toBeInstanceOf(Error);
    expect(server.requests[0]).toMatchObject({ outcome: 'fault', fault: 'cut' });
  });

  it('the stream ends early but regularly', async () => {
    const client = await start({ kind: 'clean-cut' });
    const { text, finish, error } = await read(client);
    expect(TEXT.startsWith(text) && text !== '' && text !== TEXT).toBe(true);
    expect({ finish, error }).toEqual({ finish: '', error: undefined });
  });

  it('a chunk is invalid JSON', async () => {
    const client = await start({ kind: 'malformed-chunk', afterChunks: 3 });
    const { text, error } = await read(client);
    expect(text).toBe('one two ');
    expect(error).toBeInstanceOf(SyntaxError);
  });

  it('an error event is sent', async () => {
    const client = await start({ kind: 'error-event', message: 'The GPU is gone', afterChunks: 3 });
    const { text, error } = await read(client);
    expect(text).toBe('one two ');
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ message: expect.stringContaining('The GPU is gone') });
  });

  it('nothing is sent until the client disconnects', async () => {
    const client = await start({ kind: 'silence', afterChunks: 2 });
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    let text = '';
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (text !== '') break;
    }
    expect(text).toBe('one ');
    await expect.poll(() => server.requests[0]?.outcome).toBe('fault');
  });

  it('nothing is sent after the headers until the server closes', async () => {
    const client = await start({ kind: 'silence' });
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    const first = stream[Symbol.asyncIterator]().next();
    const failed = first.then(
      () => undefined,
      (error: unknown) => error,
    );
    await server.close();
    expect(await failed).toBeInstanceOf(Error);
  });

  it('slow chunks arrive completely', async () => {
    const client = await start({ kind: 'slow', delayMs: 2 });
    expect(await read(client)).toEqual({ text: TEXT, finish: 'stop' });
    expect(server.requests[0]).toMatchObject({ outcome: 'answered', fault: 'slow' });
  });

  it('sends no more chunks and records client-gone when the client aborts', async () => {
    const client = await start({ kind: 'slow', delayMs: 60_000 });
    const controller = new AbortController();
    const reading = read(client, controller.signal);
    await expect.poll(() => server.requests[0]?.fault).toBe('slow');
    controller.abort();
    expect((await reading).text).toBe('');
    await expect.poll(() => server.requests[0]?.outcome).toBe('client-gone');
  });
});

it('records client-gone and no tokens when the client disconnects while the script runs', async () => {
  const thought = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  server = await createScriptedModelServer({
    script: () => {
      asked.resolve();
      return thought.promise;
    },
  });
  const controller = new AbortController();
  const reading = read(new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0 }), controller.signal);
  await asked.promise;
  controller.abort();
  expect((await reading).error).toBeInstanceOf(APIUserAbortError);
  await expect.poll(() => server.requests[0]?.outcome).toBe('client-gone');
  thought.resolve(TEXT);
  await server.close();
  expect(server.stats()).toMatchObject({ requests: 1, promptTokens: 0, completionTokens: 0 });
});

describe('an answer without a stream', () => {
  const whole = async (client: OpenAI) =>
    client.chat.completions.create(hello).then(
      (completion) => completion.choices[0]?.message.content,
      (error: unknown) => error,
    );

  it.each<Fault>([{ kind: 'cut' }, { kind: 'clean-cut' }, { kind: 'malformed-chunk' }])(
    'is broken by %o',
    async (fault) => {
      expect(await whole(await start(fault))).toBeInstanceOf(Error);
      expect(server.requests[0]?.outcome).toBe('fault');
    },
  );

  it('turns an error event into a 500', async () => {
    expect(await whole(await start({ kind: 'error-event' }))).toMatchObject({ status: 500 });
  });

  it('is complete when it is slow', async () => {
    expect(await whole(await start({ kind: 'slow', delayMs: 2 }))).toBe(TEXT);
  });

  it('never arrives with a silence fault', async () => {
    const client = await start({ kind: 'silence' });
    const waiting = whole(client);
    await expect.poll(() => server.requests[0]?.fault).toBe('silence');
    await server.close();
    expect(await waiting).toBeInstanceOf(Error);
  });
});

it('refuses connections after close, and can be closed twice', async () => {
  const client = await start({ kind: 'silence' });
  await Promise.all([server.close(), server.close()]);
  expect((await read(client)).error).toBeInstanceOf(APIConnectionError);
});
