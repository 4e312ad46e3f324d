import type { StepEvent } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatServer, startChatServer, startStream } from '../../test/chat-server.ts';
import { collect, MODEL_INFO } from '../../test/drive.ts';
import { createModelDriver } from '../model-driver.ts';
import type { ProviderKind } from '../wire-profile.ts';

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server[Symbol.asyncDispose]());

type Driver = 'ai-sdk' | 'native';

async function play(
  kind: ProviderKind,
  stream: string,
  { splitAt, driver = 'ai-sdk' }: { splitAt?: number; driver?: Driver } = {},
) {
  server.answer((response) => {
    startStream(response);
    if (splitAt === undefined) return response.end(stream);
    const bytes = Buffer.from(stream);
    response.write(bytes.subarray(0, splitAt));
    setImmediate(() => response.end(bytes.subarray(splitAt)));
  });
  const settings = { driver };
  const options = {
    settings,
    provider: 'p',
    model: 'm',
    baseUrl: server.url,
    apiKey: 'key',
    info: MODEL_INFO,
  };
  return summary(await collect(await createModelDriver({ kind, ...options })));
}

function summary(events: readonly StepEvent[]) {
  const join = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [[event.name, event.input]] : []));
  const last = events.at(-1);
  if (last?.type === 'error') return { error: last.error.code, message: last.error.message };
  if (last?.type !== 'finish') throw new Error(`Expected a finish, got ${JSON.stringify(last)}.`);
  const { finishReason, usage } = last;
  return {
    text: join('text-delta'),
    reasoning: join('reasoning-delta'),
    calls,
    finishReason,
    inputTokens: usage?.inputTokens,
  };
}

const line = (event: JsonValue) => `data: ${JSON.stringify(event)}\n\n`;
const lines = (...events: JsonValue[]) => events.map(line).join('');
const chat = (delta: JsonValue, finish: JsonValue = null, more: Record<string, JsonValue> = {}) =>
  line({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const HALF = chat({ content: 'All ' });
const REST = chat({ content: 'done.' }) + chat({}, 'stop');
const DONE = 'data: [DONE]\n\n';
const USAGE = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

/** Each stream is the answer "All done." with something harmless in it. */
const HARMLESS_CHAT: [name: string, stream: string][] = [
  ['a usage chunk without choices', HALF + REST + lines({ id: 'c', usage: USAGE })],
  ['a usage chunk with choices null', HALF + REST + lines({ id: 'c', choices: null, usage: USAGE })],
  ['empty data', `${HALF}data:\n\ndata: \n\n${REST}`],
  ['data: {}', HALF + lines({}) + REST],
  ['data: null', HALF + lines(null) + REST],
  ['error: null in each chunk', HALF + chat({ content: 'done.' }, 'stop', { error: null })],
  ['a numeric id', chat({ content: 'All ' }, null, { id: 17 }) + REST],
  ['created as text', chat({ content: 'All ' }, null, { created: '1764300000' }) + REST],
  ['an unknown role', chat({ role: 'model', content: 'All ' }) + REST],
  ['a numeric finish reason before the real one', chat({ content: 'All ' }, 0) + REST],
  [
    'an empty finish reason in each chunk',
    chat({ content: 'All ' }, '') + chat({ content: 'done.' }, 'stop') + chat({}, ''),
  ],
  ['tool_calls null', chat({ content: 'All ', tool_calls: null }) + REST],
  ['content as a list of texts', chat({ content: ['All '] }) + REST],
  ['content as one part', chat({ content: { type: 'text', text: 'All ' } }) + REST],
  ['reasoning that is no text', chat({ content: 'All ', reasoning: { effort: 'low' } }) + REST],
  [
    'usage in the choice',
    HALF + lines({ choices: [{ delta: { content: 'done.' }, finish_reason: 'stop', usage: USAGE }] }),
  ],
  ['usage as text', HALF + REST + lines({ choices: [], usage: 'none' })],
  [
    'token counts as text',
    HALF + REST + lines({ choices: [], usage: { prompt_tokens: '7', completion_tokens: '2' } }),
  ],
  [
    'a null in the details of the usage',
    HALF +
      REST +
      lines({ choices: [], usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 'none' } } }),
  ],
  [
    'the whole message repeated at the end',
    HALF +
      REST +
      lines({ choices: [{ message: { role: 'assistant', content: 'All done.' }, finish_reason: 'stop' }] }),
  ],
  [
    'a whole completion as the only event',
    lines({
      id: 'c',
      choices: [{ message: { role: 'assistant', content: 'All done.' }, finish_reason: 'stop' }],
    }),
  ],
  ['a chunk without its last brace', `${HALF.replace('}\n\n', '\n\n')}${REST}`],
  ['comments and Windows line ends', `: keep-alive\r\n\r\n${(HALF + REST).replaceAll('\n', '\r\n')}`],
  ['a last event without its blank line', (HALF + REST).trimEnd()],
  ['events without blank lines between them', (HALF + REST).replaceAll('\n\n', '\n')],
  ['chunks as lines of JSON', (HALF + REST).replaceAll('data: ', '').replaceAll('\n\n', '\n')],
  ['a named event of its own', `${HALF}event: hermes.tool.progress\ndata: {"tool":"look"}\n\n${REST}`],
  ['an event of its own without a name', HALF + lines({ type: 'message-start', delta: {} }) + REST],
  ['a report of its own', HALF + lines({ type: 'status', message: 'Loading the model.' }) + REST],
  ['an event of its own before the first chunk', lines({ type: 'queue', position: 3 }) + HALF + REST],
  ['a chunk on several lines', HALF.replace('{"id"', '{\ndata: "id"') + REST],
  ['line ends of old Macintoshes', (HALF + REST).replaceAll('\n', '\r')],
  ['a chunk of the older Completions API', lines({ choices: [{ index: 0, text: 'All ' }] }) + REST],
  [
    'a second choice',
    lines({
      choices: [
        { index: 1, delta: { content: 'No.' } },
        { index: 0, delta: { content: 'All ' } },
      ],
    }) + REST,
  ],
];

describe.each<Driver>(['ai-sdk', 'native'])('Chat Completions, driver %s', (driver) => {
  it.each(HARMLESS_CHAT)('reads an answer with %s', async (_name, stream) => {
    expect(
      await play('openai-compatible', stream + (stream.endsWith('\n') ? DONE : ''), { driver }),
    ).toMatchObject({
      text: 'All done.',
      calls: [],
      finishReason: 'stop',
    });
  });

  it('counts the usage of a chunk without choices', async () => {
    const stream = HALF + REST + lines({ usage: USAGE }) + DONE;
    expect(await play('openai-compatible', stream, { driver })).toMatchObject({ inputTokens: 7 });
  });

  it.each(['reasoning_text', 'reasoning_content', 'reasoning', 'thinking'])(
    'reads %s as reasoning',
    async (field) => {
      const stream = chat({ [field]: 'Hm.' }) + HALF + REST + DONE;
      expect(await play('openai-compatible', stream, { driver })).toMatchObject({
        reasoning: 'Hm.',
        text: 'All done.',
      });
    },
  );

  it.each<[string, JsonValue]>([
    ['arguments as an object', [{ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'x' } } }]],
    [
      'one call instead of a list',
      { index: 0, id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } },
    ],
    ['a numeric id', [{ index: 0, id: 5, function: { name: 'read', arguments: '{"path":"x"}' } }]],
    ['an index as text', [{ index: '0', id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } }]],
    [
      'name and arguments outside of a function',
      [{ index: 0, id: 'a', name: 'read', arguments: '{"path":"x"}' }],
    ],
    [
      'extra content of an unknown form',
      [{ index: 0, id: 'a', extra_content: 'x', function: { name: 'read', arguments: { path: 'x' } } }],
    ],
  ])('reads a call with %s', async (_name, calls) => {
    const stream = chat({ tool_calls: calls }) + chat({}, 'tool_calls') + DONE;
    expect(await play('openai-compatible', stream, { driver })).toMatchObject({
      calls: [['read', { path: 'x' }]],
      finishReason: 'tool-calls',
    });
  });

  it('reads a call in the older field function_call', async () => {
    const stream =
      chat({ function_call: { name: 'read', arguments: '{"path":"x"}' } }) + chat({}, 'function_call') + DONE;
    expect(await play('openai-compatible', stream, { driver })).toMatchObject({
      calls: [['read', { path: 'x' }]],
    });
  });

  it('reads the same answer wherever the network splits it', async () => {
    const stream = chat({ content: 'Grüezi 👋 ' }, null, { id: 1 }) + REST + DONE;
    for (let splitAt = 1; splitAt < Buffer.byteLength(stream); splitAt += 7)
      expect(await play('openai-compatible', stream, { splitAt, driver })).toMatchObject({
        text: 'Grüezi 👋 done.',
      });
  });

  it.each([
    ['an error with a detail', lines({ detail: 'The engine is dead.' }), 'The engine is dead.'],
    [
      "vLLM's error object",
      lines({ object: 'error', message: 'Engine loop stopped.', code: 400 }),
      'Engine loop stopped.',
    ],
    [
      'an event that is cut in its middle',
      'data: {"choices": [{"delta": {"content": "All d\n\n',
      'unexpected form',
    ],
  ])('still fails an answer with %s', async (_name, event, message) => {
    const answer = await play('openai-compatible', HALF + event + REST + DONE, { driver });
    expect(answer.message).toContain(message);
  });

  it('reads thoughts among the parts of the content as reasoning', async () => {
    const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const stream =
      chat({ content: [thought] }) + chat({ content: [{ type: 'text', text: 'All ' }] }) + REST + DONE;
    expect(await play('openai-compatible', stream, { driver })).toMatchObject({
      reasoning: 'Hm.',
      text: 'All done.',
    });
  });

  it('does not complete an event that the connection cut', async () => {
    const stream = `${HALF}data: {"choices":[{"delta":{},"finish_reason":"stop"}]`;
    expect(await play('openai-compatible', stream, { driver })).toMatchObject({
      error: 'provider_stream_cut',
    });
  });
});

const START = {
  type: 'message_start',
  message: {
    id: 'm',
    model: 'm',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 7, output_tokens: 0 },
  },
};
const block = (index: number, content_block: JsonValue, ...deltas: JsonValue[]) =>
  lines(
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  );
const TEXT = block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'All done.' });
const END = lines(
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
);

describe.each<Driver>(['ai-sdk', 'native'])('Anthropic, driver %s', (driver) => {
  it.each<[string, string]>([
    ['an unknown event', line(START) + lines({ type: 'content_block_progress', index: 0 }) + TEXT + END],
    ['an event without data', `${line(START)}event: ping\ndata:\n\n${TEXT}${END}`],
    ['an empty event', line(START) + lines({}) + TEXT + END],
    [
      'an unknown block and its deltas',
      line(START) +
        block(0, { type: 'memory_note', note: 1 }, { type: 'text_delta', text: 'no answer' }) +
        TEXT +
        END,
    ],
    [
      'an unknown delta',
      line(START) + block(0, { type: 'text', text: '' }, { type: 'hologram_delta', x: 1 }) + TEXT + END,
    ],
    [
      'a compaction block',
      line(START) +
        block(
          0,
          { type: 'compaction' },
          { type: 'compaction_delta', content: 'Summary.', encrypted_content: 'x' },
        ) +
        TEXT +
        END,
    ],
    [
      'a search result of an unknown form',
      line(START) +
        block(0, {
          type: 'web_search_tool_result',
          tool_use_id: 's',
          content: [{ type: 'web_search_result_v2' }],
        }) +
        TEXT +
        END,
    ],
    [
      'a citation of an unknown form',
      line(START) +
        TEXT.replace(
          '"content_block_stop"',
          '"content_block_delta","delta":{"type":"citations_delta","citation":{"type":"new"}}',
        ) +
        END,
    ],
    [
      'no usage',
      lines({ ...START, message: { ...START.message, usage: null } }) +
        TEXT +
        lines({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }),
    ],
    [
      'an unknown edit of the context',
      line(START) +
        TEXT +
        END.replace('"usage"', '"context_management":{"applied_edits":[{"type":"new"}]},"usage"'),
    ],
  ])('reads an answer with %s', async (_name, stream) => {
    expect(await play('anthropic', stream, { driver })).toMatchObject({
      text: 'All done.',
      calls: [],
      finishReason: 'stop',
    });
  });

  it('still fails an answer with an error of an unknown form', async () => {
    const answer = await play(
      'anthropic',
      line(START) + lines({ type: 'error', error: { message: 'Overloaded' } }),
      { driver },
    );
    expect(answer.message).toContain('Overloaded');
  });
});

const CALL_STOP = 'content_block_stop';
const callBlock = (input: JsonValue, deltas: readonly string[], isEnded = true) =>
  lines(
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'read', input },
    },
    ...deltas.map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    ...(isEnded ? [{ type: CALL_STOP, index: 0 }] : []),
  );

describe.each<Driver>(['ai-sdk', 'native'])('the frame of Anthropic events, driver %s', (driver) => {
  it.each<[string, string]>([
    ['input only at its start', callBlock({ path: 'x' }, [])],
    ['input at its start and in deltas', callBlock({ path: 'x' }, ['{"path":', '"x"}'])],
    ['an empty delta after its input', callBlock({ path: 'x' }, [''])],
    ['no end', callBlock({}, ['{"path":"x"}'], false)],
  ])('reads a call with %s', async (_name, call) => {
    expect(await play('anthropic', line(START) + call + END, { driver })).toMatchObject({
      calls: [['read', { path: 'x' }]],
    });
  });

  it.each<[string, string]>([
    ['no last event', line(START) + TEXT + END.slice(0, END.indexOf('data: {"type":"message_stop"'))],
    [
      'a delta whose text is null',
      line(START) + block(0, { type: 'text', text: '' }, { type: 'text_delta', text: null }) + TEXT + END,
    ],
  ])('reads an answer with %s', async (_name, stream) => {
    expect(await play('anthropic', stream, { driver })).toMatchObject({ text: 'All done.' });
  });

  it('keeps the input tokens of the start if the end reports none', async () => {
    const start = { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 50 } } };
    const end = lines(
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 0, output_tokens: 2 },
      },
      { type: 'message_stop' },
    );
    expect(await play('anthropic', line(start) + TEXT + end, { driver })).toMatchObject({ inputTokens: 50 });
  });

  it('shows an error that is not in its field', async () => {
    const stream = line(START) + lines({ type: 'error', error: null, message: 'Out of memory' });
    const answer = await play('anthropic', stream, { driver });
    expect(answer.message).toContain('Out of memory');
  });
});

const CREATED = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
const ITEM = { type: 'message', id: 'i' };
const SAID = lines(
  { type: 'response.output_item.added', output_index: 0, item: ITEM },
  { type: 'response.output_text.delta', item_id: 'i', delta: 'All done.' },
);
const COMPLETED = lines(
  { type: 'response.output_item.done', output_index: 0, item: ITEM },
  { type: 'response.completed', response: { usage: { input_tokens: 7, output_tokens: 2 } } },
);

describe.each<Driver>(['ai-sdk', 'native'])('Responses, driver %s', (driver) => {
  it.each<[string, string]>([
    [
      'a citation without a title',
      line(CREATED) +
        SAID +
        lines({
          type: 'response.output_text.annotation.added',
          annotation: { type: 'url_citation', url: 'https://x.ai' },
        }) +
        COMPLETED,
    ],
    ['an unknown event', line(CREATED) + SAID + lines({ type: 'response.mood.changed' }) + COMPLETED],
    ['a numeric id', lines({ ...CREATED, response: { ...CREATED.response, id: 5 } }) + SAID + COMPLETED],
    ['no model', lines({ type: 'response.created', response: { id: 'r' } }) + SAID + COMPLETED],
    ['an unknown phase', line(CREATED) + (SAID + COMPLETED).replaceAll('"id":"i"', '"id":"i","phase":3')],
    ['no output tokens', line(CREATED) + SAID + COMPLETED.replace(',"output_tokens":2', '')],
    ['a created event without its last brace', line(CREATED).replace('}\n\n', '\n\n') + SAID + COMPLETED],
  ])('reads an answer with %s', async (_name, stream) => {
    expect(await play('openai', stream, { driver })).toMatchObject({
      text: 'All done.',
      calls: [],
      finishReason: 'stop',
    });
  });

  it.each<[string, JsonValue]>([
    ['arguments as an object', { id: 'f', call_id: 'a', status: 'completed', arguments: { path: 'x' } }],
    ['no id and no status', { call_id: 'a', arguments: '{"path":"x"}' }],
  ])('reads a call with %s', async (_name, call) => {
    const item = { type: 'function_call', name: 'read', ...Object(call) };
    const stream = lines(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
    );
    expect(
      await play('openai', stream + COMPLETED.slice(COMPLETED.indexOf('\n\n') + 2), { driver }),
    ).toMatchObject({
      calls: [['read', { path: 'x' }]],
    });
  });
});

describe.each<Driver>(['ai-sdk', 'native'])('Responses that lack events, driver %s', (driver) => {
  const ended = (more: Record<string, JsonValue> = {}, type = 'response.completed') =>
    lines({ type, response: { usage: { input_tokens: 7, output_tokens: 2 }, ...more } });
  const message = { ...ITEM, content: [{ type: 'output_text', text: 'All done.', annotations: [] }] };
  const call = { type: 'function_call', id: 'f', call_id: 'a', name: 'read', arguments: '' };
  const whole = { ...call, arguments: '{"path":"x"}' };
  const begun = { type: 'response.output_item.added', output_index: 0, item: call };
  const piece = { type: 'response.function_call_arguments.delta', delta: '{"path":"x"}' };

  it.each<[string, string]>([
    [
      'deltas without the id of an item',
      lines({ type: 'response.output_text.delta', delta: 'All done.' }) + ended(),
    ],
    [
      'only the end of a text',
      lines({ type: 'response.output_text.done', item_id: 'i', text: 'All done.' }) + ended(),
    ],
    ['only the whole output', ended({ output: [message] })],
    ['the whole output repeated', SAID + ended({ output: [message] })],
    ['another name of the last event', SAID + ended({}, 'response.done')],
  ])('reads an answer with %s', async (_name, stream) => {
    expect(await play('openai', line(CREATED) + stream, { driver })).toMatchObject({
      text: 'All done.',
      finishReason: 'stop',
    });
  });

  it.each<[string, string]>([
    ['only the whole output', ended({ output: [whole] })],
    ['no end of its item', lines(begun, { ...piece, item_id: 'f' }) + ended()],
    ['no end of its item, and no id in its deltas', lines(begun, piece) + ended()],
    [
      'its arguments at their end only',
      lines(begun, {
        type: 'response.function_call_arguments.done',
        item_id: 'f',
        arguments: '{"path":"x"}',
      }) + ended(),
    ],
    [
      'its item and the whole output',
      lines(begun, piece, { type: 'response.output_item.done', output_index: 0, item: whole }) +
        ended({ output: [whole] }),
    ],
  ])('reads a call with %s', async (_name, stream) => {
    expect(await play('openai', line(CREATED) + stream, { driver })).toMatchObject({
      calls: [['read', { path: 'x' }]],
      finishReason: 'tool-calls',
    });
  });

  it('reads the reasoning of LM Studio', async () => {
    const item = { type: 'reasoning', id: 'rs', summary: [] };
    const thought = lines(
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.reasoning_text.delta', item_id: 'rs', content_index: 0, delta: 'Hm.' },
      { type: 'response.output_item.done', output_index: 0, item },
    );
    const answer = await play('openai', line(CREATED) + thought + SAID + ended(), { driver });
    expect(answer).toMatchObject({ reasoning: 'Hm.', text: 'All done.' });
  });

  it('never completes an answer that the response calls failed or incomplete', async () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'Out of memory' } };
    const answer = await play('openai', line(CREATED) + SAID + ended(failed), { driver });
    expect(answer.message).toContain('Out of memory');
    const half = line(CREATED) + SAID + ended({ incomplete_details: null }, 'response.incomplete');
    expect(await play('openai', half, { driver })).toMatchObject({ finishReason: 'length' });
  });
});

describe.each<Driver>(['ai-sdk', 'native'])('Chat Completions with odd calls, driver %s', (driver) => {
  const piece = (more: JsonValue) => chat({ tool_calls: [{ index: 0, ...Object(more) }] });
  const end = chat({}, 'tool_calls') + DONE;
  const called = { id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } };

  it.each<[string, string]>([
    [
      'its name after its first arguments',
      piece({ id: 'a', function: { arguments: '{"path":' } }) +
        piece({ function: { name: 'read', arguments: '"x"}' } }),
    ],
    ['itself repeated', piece(called) + piece(called)],
  ])('reads a call with %s once', async (_name, stream) => {
    expect(await play('openai-compatible', stream + end, { driver })).toMatchObject({
      calls: [['read', { path: 'x' }]],
    });
  });

  it('reads two calls with the same arguments', async () => {
    const two = piece(called) + piece({ ...called, id: 'b' });
    const { calls } = await play('openai-compatible', two + end, { driver });
    expect(calls).toHaveLength(2);
  });

  it.each<[string, Record<string, JsonValue>, string]>([
    [
      'OpenRouter',
      { choices: [{ delta: {}, finish_reason: 'error', error: { code: 429, message: 'Busy.' } }] },
      'Busy.',
    ],
    ['Groq', { choices: [], x_groq: { error: 'Failed to generate' } }, 'Failed to generate'],
    ['MiniMax', { choices: null, base_resp: { status_code: 1000, status_msg: 'Unknown.' } }, 'Unknown.'],
    ['Baidu', { error_code: 17, error_msg: 'Daily limit' }, 'Daily limit'],
  ])('shows an error in a field of %s', async (_name, event, message) => {
    const answer = await play('openai-compatible', HALF + line(event) + DONE, { driver });
    expect(answer.message).toContain(message);
  });

  it("reads Groq's usage, and the words of a refusal once", async () => {
    const groq = HALF + chat({ content: 'done.' }, 'stop', { x_groq: { usage: USAGE } }) + DONE;
    expect(await play('openai-compatible', groq, { driver })).toMatchObject({ inputTokens: 7 });
    const refused = chat({ refusal: 'I cannot.' }) + chat({}, 'stop') + DONE;
    expect(await play('openai-compatible', refused, { driver })).toMatchObject({
      text: 'I cannot.',
      finishReason: 'content-filter',
    });
  });
});

describe('Google', () => {
  const said = { content: { parts: [{ text: 'All done.' }] }, finishReason: 'STOP' };
  it.each<[string, string]>([
    [
      'unknown grounding',
      lines({ candidates: [{ ...said, groundingMetadata: { groundingChunks: [{ maps: 1 }] } }] }),
    ],
    ['ratings of an unknown form', lines({ candidates: [{ ...said, safetyRatings: 'none' }] })],
    ['an empty chunk', lines({}, { candidates: [said] })],
    ['token counts as text', lines({ candidates: [said], usageMetadata: { promptTokenCount: '7' } })],
    [
      'a part of an unknown kind',
      lines({ candidates: [{ ...said, content: { parts: [{ hologram: {} }, { text: 'All done.' }] } }] }),
    ],
  ])('reads an answer with %s', async (_name, stream) => {
    expect(await play('google', stream)).toMatchObject({
      text: 'All done.',
      calls: [],
      finishReason: 'stop',
    });
  });

  it('reads a call whose arguments are text', async () => {
    const stream = lines({
      candidates: [
        {
          content: { parts: [{ functionCall: { name: 'read', args: '{"path":"x"}' } }] },
          finishReason: 'STOP',
        },
      ],
    });
    expect(await play('google', stream)).toMatchObject({
      calls: [['read', { path: 'x' }]],
      finishReason: 'tool-calls',
    });
  });
});
