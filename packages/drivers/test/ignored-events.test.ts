import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
import { type ChatServer, startChatServer, startStream } from './chat-server.ts';
import { collect, MODEL_INFO } from './drive.ts';
import { startOn } from './run-on-server.ts';

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const chat = (delta: object, finish_reason: string | null = null) =>
  line({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const google = (text: string, finishReason?: string) =>
  line({ candidates: [{ index: 0, content: { parts: [{ text }] }, finishReason }] });
const item = { id: 'i', type: 'message', role: 'assistant', content: [] };
const response = {
  id: 'r',
  created_at: 1,
  model: 'm',
  output: [],
  usage: { input_tokens: 7, output_tokens: 2 },
};
const said = (delta: string) =>
  line({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta });
const block = (text: string) =>
  line({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

/** Both halves of an answer "All done." */
const HALVES: Record<string, readonly [string, string]> = {
  'openai-compatible': [chat({ content: 'All ' }), `${chat({ content: 'done.' })}${chat({}, 'stop')}`],
  openai: [
    line({ type: 'response.created', response }) +
      line({ type: 'response.output_item.added', output_index: 0, item }) +
      said('All '),
    said('done.') +
      line({ type: 'response.output_item.done', output_index: 0, item }) +
      line({ type: 'response.completed', response }),
  ],
  anthropic: [
    line({
      type: 'message_start',
      message: {
        id: 'm',
        model: 'm',
        role: 'assistant',
        content: [],
        usage: { input_tokens: 7, output_tokens: 0 },
      },
    }) +
      line({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      block('All '),
    block('done.') +
      line({ type: 'content_block_stop', index: 0 }) +
      line({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
      line({ type: 'message_stop' }),
  ],
  google: [google('All '), google('done.', 'STOP')],
};

const DRIVERS: [ProviderKind, 'ai-sdk' | 'native'][] = [
  ['openai-compatible', 'ai-sdk'],
  ['openai-compatible', 'native'],
  ['openai', 'ai-sdk'],
  ['openai', 'native'],
  ['anthropic', 'ai-sdk'],
  ['anthropic', 'native'],
  ['google', 'ai-sdk'],
];

describe.each(DRIVERS)('%s, driver %s', (kind, driver) => {
  const plays = (stream: string) =>
    server.answer((answer) => {
      startStream(answer);
      answer.end(stream);
    });
  const access = { kind, provider: 'p', model: 'm', apiKey: 'key-12345678', settings: { driver } };
  const play = async (between: string) => {
    const [first, rest] = HALVES[kind] ?? ['', ''];
    plays(first + between + rest);
    const events = await collect(
      await createModelDriver({ ...access, baseUrl: server.url, info: MODEL_INFO }),
    );
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    return { text, last: events.at(-1), events };
  };

  it.each([
    ['a named event', 'event: heartbeat\ndata: still here\n\n'],
    ['an unnamed event', 'data: ping\n\n'],
    ['a number', 'event: progress\ndata: 42\n\n'],
    ['another end mark', 'data: [KEEPALIVE]\n\n'],
    ['text on several lines', 'data: loading\ndata: the model\n\n'],
    ['an event without a blank line', 'event: queue\ndata: position 3\n'],
    ['a line without a field', 'keepalive\n\n'],
  ])('reads an answer with %s in its middle that is not JSON', async (_name, event) => {
    const { text, last } = await play(event);
    expect(text).toBe('All done.');
    expect(last).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('warns once, and hides the key', async () => {
    const { test } = await startOn(server, access);
    const [first, rest] = HALVES[kind] ?? ['', ''];
    plays(`data: hello key-12345678\n\n${first}data: ping\n\n${rest}`);
    await test.run('go');
    await test.run('again');
    expect(test.of('context:warning').map(({ message }) => message)).toEqual([
      'p/m sent an event that is not JSON: "hello [key]". Such events are ignored.',
    ]);
  });

  it.each([
    ['an error text', 'data: Internal error: the worker died\n\n', 'the worker died'],
    ['an event named error', 'event: error\ndata: no luck\n\n', 'no luck'],
    ['a line "error:"', 'error: out of luck\n\n', 'out of luck'],
    ['an event that is cut', 'data: {"choices": [{"del\n\n', 'unexpected form'],
  ])('still fails an answer with %s', async (_name, event, message) => {
    const { last } = await play(event);
    expect(last).toMatchObject({ type: 'error', error: { message: expect.stringContaining(message) } });
  });

  it('fails a stream that has only such events, and quotes its beginning', async () => {
    plays('event: status\ndata: warming up\n\ndata: ready\n\n');
    const events = await collect(
      await createModelDriver({ ...access, baseUrl: server.url, info: MODEL_INFO }),
    );
    expect(events).toMatchObject([
      {
        type: 'error',
        error: {
          code: 'provider_bad_response',
          message:
            'p/m: the stream has no event of the expected format. It began with "warming up". Check the kind and the baseUrl of the provider.',
        },
      },
    ]);
  });
});
