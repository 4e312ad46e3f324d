import '@longhaul/testing/steps';
import { gzipSync } from 'node:zlib';
import { slowClock, stopClock } from '@longhaul/testing/clock';
import { INFO } from '@longhaul/testing/doubles';
import { countSteps } from '@longhaul/testing/steps';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { calls, DONE, forever, inTurn, type RawAnswer, says, sends, usage } from './raw-answers.ts';
import { type StartOptions, startOn } from './run-on-server.ts';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const plays = (...answers: RawAnswer[]) => server.answer(inTurn(answers));
const start = (options?: StartOptions) => startOn(server, options);
const sent = (index: number) => JSON.parse(server.requests[index] ?? '{}');

describe('a provider that streams without end', () => {
  it.each([
    ['text', () => chunk({ content: 'and on and on it goes, word after word after word '.repeat(4) })],
    ['reasoning', () => chunk({ reasoning_content: 'but wait, let me think about that again. '.repeat(4) })],
    [
      'the arguments of a call',
      () =>
        chunk({
          tool_calls: [
            {
              index: 0,
              id: 'c',
              type: 'function',
              function: { name: 'look', arguments: '{"a": "aaaa bbbb cccc dddd '.repeat(4) },
            },
          ],
        }),
    ],
  ])('%s: the connection is closed, and the run ends at a limit', async (_name, piece) => {
    plays(forever(piece));
    const { test, look } = await start();
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
    expect(look.starts).toBe(0);
    expect(server.requests.length).toBeLessThanOrEqual(6);
    await expect.poll(() => server.abandoned).toBe(server.requests.length);
  });

  it('only empty chunks: ends with provider_timeout, although bytes arrive', async () => {
    slowClock();
    plays((response) => {
      startStream(response);
      const timer = setInterval(() => response.write(chunk({ content: '' })), 1);
      response.on('close', () => clearInterval(timer));
    });
    const { test } = await start({ stallMs: 60, runtime: { retry: { attempts: 1, totalMs: 1_000 } } });
    const message = expect.stringContaining('bytes but no content for 600 ms');
    expect(await test.run('go')).toMatchObject({
      status: 'failed',
      error: { code: 'provider_timeout', message },
    });
  });
});

describe('a provider that breaks the protocol', () => {
  it('runs two calls with one id as two calls with two results', async () => {
    plays(
      calls({ id: 'same', arguments: '{"at":"a"}' }, { id: 'same', arguments: '{"at":"b"}' }),
      says('Seen.'),
    );
    const { test, look, tools } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Seen.' });
    expect(look.starts).toBe(2);
    expect(new Set((await tools()).map((part) => part.callId)).size).toBe(2);
    const { messages } = sent(1);
    const asked = messages.flatMap((message: { tool_calls?: { id: string }[] }) =>
      (message.tool_calls ?? []).map(({ id }) => id),
    );
    const answered = messages.flatMap((message: { tool_call_id?: string }) => message.tool_call_id ?? []);
    expect(answered).toEqual(asked);
    expect(new Set(asked).size).toBe(2);
  });

  it('does not run a call whose arguments are not JSON, and tells the model why', async () => {
    plays(
      calls({ id: 'a', arguments: '{"at": ' }),
      calls({ id: 'b', arguments: '{"at":"x"}' }),
      says('Seen.'),
    );
    const { test, look, tools } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Seen.' });
    expect(look.starts).toBe(1);
    expect((await tools()).map((part) => part.state)).toEqual(['error', 'completed']);
    expect(JSON.stringify(sent(1).messages)).toContain('not a JSON object');
  });

  it('ignores another model name in the middle of the stream', async () => {
    plays((response) => {
      startStream(response);
      const renamed = chunk({ content: 'there' }).replace('served-model', 'another-model');
      response.end(chunk({ content: 'Hi ' }) + renamed + chunk({}, 'stop') + DONE);
    });
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Hi there' });
    expect((await test.messages())[1]?.model).toBe('played/test');
  });

  it('accepts usage at the end only, or never', async () => {
    plays(says('With.', 900));
    const first = await start();
    expect((await first.test.run('go')).usage).toMatchObject({ inputTokens: 900, outputTokens: 5 });
    plays(says('Without.'));
    const second = await start();
    expect(await second.test.run('go')).toMatchObject({ status: 'completed', text: 'Without.' });
  });

  it('keeps chunks after the finish, and runs no call among them twice', async () => {
    plays((response) => {
      startStream(response);
      response.end(
        chunk({ content: 'Done' }) + chunk({}, 'stop') + chunk({ content: '.' }) + usage(50) + DONE + DONE,
      );
    });
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: expect.stringMatching(/^Done/) });
  });

  it('does not wait for a connection left open after [DONE]', async () => {
    plays((response) => {
      startStream(response);
      response.write(chunk({ content: 'Done.' }) + chunk({}, 'stop') + DONE);
    });
    const { test } = await start({ stallMs: 30_000 });
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
  });

  it('continues after a finish for tool calls without a call', async () => {
    plays((response) => {
      startStream(response);
      response.end(chunk({ content: 'Let me look.' }) + chunk({}, 'tool_calls') + DONE);
    }, says('Seen.'));
    const { test } = await start();
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Seen.' });
    expect((await test.messages())[2]?.metadata).toEqual({ synthetic: 'continue-empty' });
  });

  it.each<[string, RawAnswer, object, number]>([
    [
      'a web page in place of a stream',
      sends([200, { 'content-type': 'text/html' }], '<!doctype html><title>Sign in</title>'),
      { code: 'provider_bad_request' },
      1,
    ],
    [
      'JSON in place of a stream',
      sends(
        [200, { 'content-type': 'application/json' }],
        '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}',
      ),
      { code: 'provider_bad_request' },
      1,
    ],
    ['an empty body', sends([200, {}], ''), { code: 'provider_stream_cut' }, 3],
    [
      'an empty stream of events',
      sends([200, { 'content-type': 'text/event-stream' }], ''),
      { code: 'provider_stream_cut' },
      3,
    ],
    [
      'a body declared as gzip that is not gzip',
      sends(
        [200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }],
        'this is no gzip at all',
      ),
      { code: 'provider_stream_cut' },
      3,
    ],
    [
      'gzip that breaks off',
      sends(
        [200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }],
        gzipSync(chunk({ content: 'x'.repeat(5_000) })).subarray(0, 40),
      ),
      { code: 'provider_stream_cut' },
      3,
    ],
    [
      'redirects in a circle',
      sends([307, { location: '/v1/chat/completions' }], ''),
      { code: 'provider_bad_request', message: expect.stringContaining('redirect') },
      1,
    ],
  ])(
    '%s: fails with a clear error, and is retried only if that can help',
    async (_name, answer, error, tries) => {
      plays(answer);
      const { test } = await start();
      const result = await test.run('go');
      expect(result).toMatchObject({ status: 'failed', error });
      const attempts = test.of('llm:error').length;
      expect(attempts).toBe(tries);
    },
  );

  it('stores 100,000 deltas of one character as one text, in few writes', async () => {
    // Text is also written every 50 ms: without time, its length alone decides.
    stopClock();
    const run = async (deltas: number) => {
      plays((response) => {
        startStream(response);
        const one = chunk({ content: 'a' });
        for (let left = deltas; left > 0; left -= 1_000) response.write(one.repeat(1_000));
        response.end(chunk({}, 'stop') + DONE);
      });
      const info = { ...INFO, windowTokens: 400_000, maxOutputTokens: 200_000 };
      const { test } = await start({ info, stallMs: 0 });
      const writes = countWrites(test.store);
      let result: Awaited<ReturnType<typeof test.run>> | undefined;
      const steps = await countSteps(async () => (result = await test.run('go')));
      return { status: result?.status, chars: result?.text.length, writes: writes(), steps };
    };
    const few = await run(10_000);
    const many = await run(100_000);
    expect(many).toMatchObject({ status: 'completed', chars: 100_000 });
    expect(few.chars).toBe(10_000);
    // One write for each 4 KiB. Quadratic work would show as a hundred times the steps.
    expect(many.writes).toBeLessThan(100_000 / 4_096 + 2);
    expect(many.steps / few.steps).toBeLessThan(11);
  });
});

function countWrites(store: { putPart: (...args: never[]) => unknown }): () => number {
  let writes = 0;
  const putPart = store.putPart.bind(store);
  store.putPart = (...args) => {
    writes += 1;
    return putPart(...args);
  };
  return () => writes;
}
