import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerEnd } from '../src/answer/finish-reasons.ts';
import { createModelDriver } from '../src/model-driver.ts';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { collect, MODEL_INFO } from './drive.ts';
import { DONE, inTurn, type RawAnswer, says } from './raw-answers.ts';
import { startOn } from './run-on-server.ts';
import { tested } from './tested-driver.ts';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const ends = (reason: string, words = 'The answer is') => says(words, undefined, reason);

/** Ends without a finish reason. */
const endsWithout: RawAnswer = (response) => {
  startStream(response);
  response.end(chunk({ content: 'The answer is' }) + DONE);
};

async function run(...answers: RawAnswer[]) {
  server.answer(inTurn(answers));
  const { test } = await startOn(server);
  return { result: await test.run('go'), test, requests: server.requests.map((body) => JSON.parse(body)) };
}

describe('half an answer', () => {
  it.each([
    'abort',
    'error',
    'network_error',
    'insufficient_system_resource',
    'model_context_window_exceeded',
    'length',
    'max_tokens',
    'ABORTED',
    'timeout',
    'MALFORMED_FUNCTION_CALL',
    'OTHER',
    'pause_turn',
    'unheard_of',
  ])('that ends with %j is continued, and never counts as the answer', async (reason) => {
    const { result, requests } = await run(ends(reason), says(' 42.'));
    expect(result).toMatchObject({ status: 'completed', text: ' 42.' });
    const { messages } = requests[1];
    expect(messages.at(-2)).toMatchObject({ role: 'assistant', content: 'The answer is' });
    expect(messages.at(-1).role).toBe('user');
  });

  it('that ends without a finish reason is continued', async () => {
    const { result, requests } = await run(endsWithout, says(' 42.'));
    expect(result).toMatchObject({ status: 'completed', text: ' 42.' });
    expect(requests).toHaveLength(2);
  });

  it.each([endsWithout, ends('')])(
    'whose finish reason is always missing or empty fails, and says so',
    async (answer) => {
      const { result } = await run(answer);
      expect(result.error).toMatchObject({ code: 'provider_stream_cut' });
      expect(result.error?.message).toContain('its stream ended without a finish reason');
    },
  );

  it.each(['sensitive', 'content_filter', 'refusal'])('that ends with %j fails', async (reason) => {
    const { result } = await run(ends(reason));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_content_filter' } });
    expect(server.requests).toHaveLength(1);
  });

  it('that ends twice with an unknown reason fails, and the error names the reason', async () => {
    const { result } = await run(ends('unheard_of'));
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'provider_bad_response', data: { finishReason: 'unheard_of' } },
    });
    expect(result.error?.message).toContain('"unheard_of"');
    expect(server.requests).toHaveLength(2);
  });

  it('that always breaks off fails in the end', async () => {
    const { result } = await run(ends('abort'));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_stream_cut' } });
    expect(result.error?.message).toContain('"abort"');
    expect(server.requests).toHaveLength(4);
  });

  it.each(['abort', 'sensitive', 'unheard_of', 'error'])(
    'that ended the run with %j is resumed by a request that ends with a user message',
    async (reason) => {
      const { test } = await run(ends(reason));
      server.answer(says(' 42.'));
      const before = server.requests.length;
      expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: ' 42.' });
      const { messages } = JSON.parse(server.requests[before] ?? '');
      expect(messages.at(-2)).toMatchObject({ role: 'assistant' });
      expect(messages.at(-1)).toMatchObject({ role: 'user' });
    },
  );
});

it.each(['network_error', 'insufficient_system_resource', 'MALFORMED_FUNCTION_CALL', 'abort'])(
  'retries an answer without content that ends with %j',
  async (reason) => {
    const { result, requests } = await run(ends(reason, ''), says('Done.'));
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(requests[1].messages).toEqual(requests[0].messages);
  },
);

it.each(['stop', 'eos', 'end_turn', 'COMPLETE', 'STOP'])('completes with %j', async (reason) => {
  const { result } = await run(ends(reason, 'Done.'));
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(server.requests).toHaveLength(1);
});

it('treats an unknown reason as unknown', () => {
  expect(answerEnd('unheard_of')).toBe('other');
});

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

async function played(kind: 'anthropic' | 'google', stream: string) {
  server.answer((response) => {
    startStream(response);
    response.end(stream);
  });
  const options = { provider: kind, model: 'm', baseUrl: server.url, apiKey: 'key', info: MODEL_INFO };
  return (await collect(await createModelDriver({ kind, ...options, ...tested }))).at(-1);
}

function anthropicAnswer(stopReason: string | null, words = 'Half', details: object | null = null) {
  const usage = { input_tokens: 9, output_tokens: 0 };
  return sse(
    { type: 'message_start', message: { id: 'm', model: 'm', role: 'assistant', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...(words === ''
      ? []
      : [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } }]),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_details: details },
      usage: { output_tokens: 3 },
    },
    { type: 'message_stop' },
  );
}

it.each<[string | null, string, object]>([
  ['pause_turn', 'Half', { type: 'finish', finishReason: 'paused', rawFinishReason: 'pause_turn' }],
  ['refusal', 'Half', { type: 'finish', finishReason: 'content-filter' }],
  ['model_context_window_exceeded', 'Half', { type: 'finish', finishReason: 'length' }],
  ['model_context_window_exceeded', '', { type: 'error', error: { code: 'context_overflow' } }],
  ['max_tokens', 'Half', { type: 'finish', finishReason: 'length' }],
  [null, 'Half', { type: 'error', error: { code: 'provider_stream_cut' } }],
  ['new_reason', 'Half', { type: 'finish', finishReason: 'other', rawFinishReason: 'new_reason' }],
])('Anthropic: reads the stop reason %j after %j', async (reason, words, expected) => {
  expect(await played('anthropic', anthropicAnswer(reason, words))).toMatchObject(expected);
});

it.each<[string | undefined, object]>([
  ['MALFORMED_FUNCTION_CALL', { type: 'error', error: { code: 'provider_bad_response', retryable: true } }],
  ['UNEXPECTED_TOOL_CALL', { type: 'error', error: { code: 'provider_bad_response' } }],
  ['MISSING_THOUGHT_SIGNATURE', { type: 'error', error: { code: 'provider_bad_response' } }],
  ['OTHER', { type: 'error', error: { code: 'provider_stream_cut', retryable: true } }],
  [undefined, { type: 'error', error: { code: 'provider_stream_cut' } }],
  ['SAFETY', { type: 'finish', finishReason: 'content-filter' }],
  ['LANGUAGE', { type: 'finish', finishReason: 'content-filter' }],
  ['MAX_TOKENS', { type: 'finish', finishReason: 'length' }],
])('Google: reads the finish reason %j', async (finishReason, expected) => {
  const content = { parts: [{ text: 'Half' }] };
  expect(await played('google', sse({ candidates: [{ content, finishReason }] }))).toMatchObject(expected);
});

describe("the provider's words on the end of an answer", () => {
  const REFUSED = { type: 'refusal', category: 'cyber', explanation: 'Asks for an exploit.' };
  const MALFORMED = 'Malformed function call: print(default_api.read(path="a"))';

  it.each<['anthropic' | 'google', string, object]>([
    [
      'anthropic',
      anthropicAnswer('refusal', 'Half', REFUSED),
      { finishReason: 'content-filter', explanation: 'cyber: Asks for an exploit.' },
    ],
    ['anthropic', anthropicAnswer('refusal', 'Half', { type: 'refusal', category: null }), {}],
    [
      'google',
      sse({
        candidates: [
          { content: { parts: [{ text: 'Half' }] }, finishReason: 'SAFETY', finishMessage: 'Violence.' },
        ],
      }),
      { finishReason: 'content-filter', explanation: 'Violence.' },
    ],
    [
      'google',
      sse({
        candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: MALFORMED }],
      }),
      { error: { code: 'provider_bad_response', message: expect.stringContaining(MALFORMED) } },
    ],
    [
      'google',
      sse({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'Not this.' } }),
      { finishReason: 'content-filter', explanation: 'Not this.' },
    ],
  ])('are reported: %s', async (kind, stream, expected) => {
    expect(await played(kind, stream)).toMatchObject(expected);
  });

  it('are in the error of a run', async () => {
    server.answer((response) => {
      startStream(response);
      response.end(anthropicAnswer('refusal', 'Half', REFUSED));
    });
    const { test } = await startOn(server, { kind: 'anthropic', provider: 'anthropic', apiKey: 'key' });
    const { error } = await test.run('go');
    expect(error).toMatchObject({ code: 'provider_content_filter', data: { finishReason: 'refusal' } });
    expect(error?.message).toContain('"cyber: Asks for an exploit.');
  });

  it('are in a line of their own: llama.cpp', async () => {
    server.answer((response) => {
      startStream(response);
      response.end(
        `${chunk({ content: 'Half' })}error: {"code":500,"message":"Context size has been exceeded.","type":"server_error"}\n\n`,
      );
    });
    const driver = await createModelDriver({
      kind: 'openai-compatible',
      provider: 'local',
      model: 'm',
      baseUrl: server.url,
      info: MODEL_INFO,
      ...tested,
    });
    const events = await collect(driver);
    expect(events).toContainEqual({ type: 'text-delta', id: expect.anything(), text: 'Half' });
    expect(events.at(-1)).toMatchObject({
      error: { code: 'context_overflow', message: expect.stringContaining('Context size has been exceeded') },
    });
  });
});

describe('a turn that Anthropic pauses', () => {
  const use = { type: 'server_tool_use', id: 's1', name: 'web_search' };
  const result = {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    content: [{ type: 'web_search_result', url: 'https://a', title: 'A', encrypted_content: 'e' }],
  };
  const start = (...rest: object[]) =>
    sse(
      { type: 'message_start', message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 9 } } },
      ...rest,
      { type: 'message_stop' },
    );
  const paused = start(
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I search.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { ...use, input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"query"' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':"x"}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn' }, usage: { output_tokens: 3 } },
  );
  const ended = start(
    { type: 'content_block_start', index: 0, content_block: result },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Found.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  );
  const streams =
    (...bodies: string[]): RawAnswer =>
    (response) => {
      startStream(response);
      response.end(bodies.length > 1 ? bodies.shift() : bodies[0]);
    };
  const info = { ...MODEL_INFO, provider: 'anthropic', model: 'm' };
  const anthropic = { kind: 'anthropic', provider: 'anthropic', model: 'm', apiKey: 'key', info } as const;

  it('is continued by the same request with the unchanged answer at its end, and without a user message', async () => {
    server.answer(streams(paused, ended));
    const { test } = await startOn(server, anthropic);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Found.' });
    const [first, second] = server.requests.map((body) => JSON.parse(body).messages);
    expect(second).toHaveLength(first.length + 1);
    expect(second.at(-1).role).toBe('assistant');
    expect(second.at(-1).content).toMatchObject([
      { type: 'text', text: 'I search.' },
      { ...use, input: { query: 'x' } },
    ]);
    await test.run('and then?');
    const third = JSON.parse(server.requests.at(-1) ?? '').messages;
    expect(third.flatMap((message: { content: object[] }) => message.content)).toEqual(
      expect.arrayContaining([expect.objectContaining(use), expect.objectContaining(result)]),
    );
  });

  it('again and again reaches the limit', async () => {
    server.answer(streams(paused));
    const { test } = await startOn(server, anthropic);
    // Four answers, and the note on the state of the work.
    expect(await test.run('go')).toMatchObject({ status: 'limit' });
    expect(server.requests).toHaveLength(5);
  });
});
