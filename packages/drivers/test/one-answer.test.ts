import type { JsonValue } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
import { type ChatServer, startChatServer, startStream } from './chat-server.ts';
import { collect, MODEL_INFO } from './drive.ts';

type Driver = 'ai-sdk' | 'native';
const DRIVERS: Driver[] = ['ai-sdk', 'native'];

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Plays a stream, or a whole answer as JSON. Returns its text, and the input of its calls or the code of its error. */
async function play(kind: ProviderKind, driver: Driver, sent: string | JsonValue) {
  server.answer((response) => {
    if (typeof sent === 'string') startStream(response);
    else response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  });
  const access = { provider: 'p', model: 'm', baseUrl: server.url, apiKey: 'key', info: MODEL_INFO };
  const events = await collect(await createModelDriver({ kind, ...access, settings: { driver } }));
  const last = events.at(-1);
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.input] : []));
  if (last?.type === 'error') return { error: last.error.code, message: last.error.message, text };
  return { text, calls, finishReason: last?.type === 'finish' ? last.finishReason : undefined };
}

const lines = (...events: JsonValue[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const DONE = 'data: [DONE]\n\n';
const RIGHT = { command: 'right' };
const WRONG = { command: 'wrong' };

describe.each(DRIVERS)('Chat Completions, driver %s', (driver) => {
  const choice = (index: number | undefined, delta: JsonValue, finish_reason: JsonValue = null) => ({
    ...(index === undefined ? {} : { index }),
    delta,
    finish_reason,
  });
  const chunk = (choices: JsonValue[], id: JsonValue = 'c') => ({ id, created: 1, model: 'm', choices });
  const one = (delta: JsonValue, finish: JsonValue = null, id: JsonValue = 'c') =>
    chunk([choice(0, delta, finish)], id);
  const call = (input: JsonValue, id = 'a', index = 0) => ({
    tool_calls: [
      { index, id, type: 'function', function: { name: 'bash', arguments: JSON.stringify(input) } },
    ],
  });
  const read = (...events: JsonValue[]) => play('openai-compatible', driver, lines(...events) + DONE);

  it('makes no call of another choice in a separate chunk', async () => {
    const answer = await read(
      one({ content: 'I keep ' }),
      chunk([choice(1, { content: 'I delete it.' })]),
      chunk([choice(1, call(WRONG))]),
      chunk([choice(1, {}, 'tool_calls')]),
      one({ content: 'it.' }),
      one({}, 'stop'),
    );
    expect(answer).toEqual({ text: 'I keep it.', calls: [], finishReason: 'stop' });
  });

  it('makes no call of another choice that comes before the first one', async () => {
    const answer = await read(
      chunk([choice(1, call(WRONG))]),
      chunk([choice(2, call(WRONG, 'b'))]),
      one(call(RIGHT)),
      one({}, 'tool_calls'),
      chunk([choice(1, {}, 'tool_calls')]),
    );
    expect(answer).toMatchObject({ calls: [RIGHT], finishReason: 'tool-calls' });
  });

  it('reads the first choice of a stream without a choice 0, and no other', async () => {
    const answer = await read(
      chunk([choice(2, { content: 'Two. ' }), choice(1, { content: 'One.' })]),
      chunk([choice(1, call(WRONG))]),
      chunk([choice(2, call(RIGHT))]),
      chunk([choice(2, {}, 'tool_calls')]),
      chunk([choice(1, {}, 'tool_calls')]),
    );
    expect(answer).toEqual({ text: 'Two. ', calls: [RIGHT], finishReason: 'tool-calls' });
  });

  it('counts choices without an index by their place', async () => {
    const both = chunk([choice(undefined, call(RIGHT)), choice(undefined, call(WRONG, 'b', 1))]);
    expect(await read(both, one({}, 'tool_calls'))).toMatchObject({ calls: [RIGHT] });
  });

  it('ignores an error of another choice', async () => {
    const failed = { ...choice(1, {}, 'error'), error: { message: 'Choice 1 is broken.' } };
    expect(await read(one({ content: 'Yes.' }), chunk([failed]), one({}, 'stop'))).toMatchObject({
      text: 'Yes.',
    });
  });

  it('reads one choice of a chunk on several lines, and of one with other line ends', async () => {
    const other = lines(chunk([choice(1, call(WRONG))]));
    const rest = lines(one({ content: 'Yes.' }), one({}, 'stop')) + DONE;
    for (const sent of [
      other.replace('{"id"', '{\ndata: "id"') + rest,
      (other + rest).replaceAll('\n', '\r'),
    ])
      expect(await play('openai-compatible', driver, sent)).toMatchObject({ text: 'Yes.', calls: [] });
  });

  it('reads one choice of a whole answer', async () => {
    const message = (input: JsonValue) => ({ role: 'assistant', content: null, ...call(input) });
    const choices = [
      { index: 1, message: message(WRONG), finish_reason: 'tool_calls' },
      { index: 0, message: message(RIGHT), finish_reason: 'tool_calls' },
    ];
    expect(await play('openai-compatible', driver, { id: 'c', choices })).toMatchObject({ calls: [RIGHT] });
  });

  it.each<[string, JsonValue[]]>([
    ['after a finish reason', [one({}, 'stop'), one(call(WRONG)), one({}, 'tool_calls')]],
    ['after two finish reasons', [one({}, 'stop'), one({}, 'stop'), one(call(WRONG), 'tool_calls')]],
    [
      'of a second answer in the stream',
      [one({}, 'stop'), one({ content: 'More.' }, null, 'd'), one(call(WRONG), 'tool_calls', 'd')],
    ],
  ])('makes no call %s', async (_name, after) => {
    const answer = await read(one({ role: 'assistant', content: 'Done.' }), ...after);
    expect(answer).toEqual({ text: 'Done.', calls: [], finishReason: 'stop' });
  });

  it('makes no call of an answer with another id after a finish reason beside content', async () => {
    const answer = await read(one({ content: 'Done.' }, 'stop'), one(call(WRONG), 'tool_calls', 'd'));
    expect(answer).toEqual({ text: 'Done.', calls: [], finishReason: 'stop' });
  });

  it('makes no call after [DONE]', async () => {
    const sent =
      lines(one({ content: 'Done.' }, 'stop')) + DONE + lines(one(call(WRONG), 'tool_calls')) + DONE;
    expect(await play('openai-compatible', driver, sent)).toMatchObject({ text: 'Done.', calls: [] });
  });

  it('reads an answer with a finish reason in each of its chunks', async () => {
    const answer = await read(
      one({ content: 'I ' }, 'stop'),
      one({ content: 'look.' }, 'stop'),
      one(call(RIGHT), 'stop'),
      one(call(WRONG, 'b', 1), 'stop'),
    );
    expect(answer).toEqual({ text: 'I look.', calls: [RIGHT, WRONG], finishReason: 'tool-calls' });
  });

  it('reads an answer with another id in each of its chunks', async () => {
    const answer = await read(
      one({ content: 'I ' }, null, 1),
      one(call(RIGHT), null, 2),
      one({}, 'tool_calls', 3),
    );
    expect(answer).toEqual({ text: 'I ', calls: [RIGHT], finishReason: 'tool-calls' });
  });

  it('counts usage and errors after the end', async () => {
    const said = [one({ content: 'Done.' }), one({}, 'stop')];
    expect(await read(...said, { error: { message: 'Out of memory' } })).toMatchObject({
      message: expect.stringContaining('Out of memory'),
    });
    const late = { ...choice(0, {}, 'error'), error: { message: 'Out of memory' } };
    expect(await read(...said, chunk([late]))).toMatchObject({
      message: expect.stringContaining('Out of memory'),
    });
  });

  it('makes a call that is repeated without its index once', async () => {
    const repeated = { tool_calls: call(RIGHT).tool_calls.map(({ index, ...rest }) => rest) };
    expect(await read(one(call(RIGHT)), one(repeated), one({}, 'tool_calls'))).toMatchObject({
      calls: [RIGHT],
    });
    expect(await read(one(repeated), one(repeated), one({}, 'tool_calls'))).toMatchObject({ calls: [RIGHT] });
  });

  it('makes a call that is repeated with another index once, in one chunk or in two', async () => {
    const again = call(RIGHT, 'a', 1);
    const both = { tool_calls: [...call(RIGHT).tool_calls, ...again.tool_calls] };
    const end = one({}, 'tool_calls');
    expect(await read(one(both), end)).toMatchObject({ calls: [RIGHT] });
    expect(await read(one(call(RIGHT)), one(again), end)).toMatchObject({ calls: [RIGHT] });
    expect(await read(one(call(RIGHT)), one(call(RIGHT, 'b', 1)), end)).toMatchObject({
      calls: [RIGHT, RIGHT],
    });
    expect(await read(one(call(RIGHT)), one(call(WRONG, 'a', 1)), end)).toMatchObject({
      calls: [RIGHT, WRONG],
    });
  });

  const pieces = (input: JsonValue, index: number, size = 4) => {
    const [text, [whole]] = [JSON.stringify(input), call(input, 'a', index).tool_calls];
    const rest = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    const first = { ...whole, function: { name: 'bash', arguments: '' } };
    const later = rest.map((part) => ({ index, function: { arguments: part } }));
    return [first, ...later].map((piece) => one({ tool_calls: [piece] }));
  };

  it('makes a call that is repeated in pieces with another index once', async () => {
    const [first, second] = [pieces(RIGHT, 0), pieces(RIGHT, 1, 3)];
    const mixed = first.flatMap((piece, place) => [piece, second[place] ?? []]).flat();
    const end = one({}, 'tool_calls');
    for (const sent of [
      [...first, ...second],
      [...mixed, ...second.slice(first.length)],
    ])
      expect(await read(...sent, end)).toMatchObject({ calls: [RIGHT] });
    expect(await read(...first, ...pieces(RIGHT, 1), ...pieces(RIGHT, 2), end)).toMatchObject({
      calls: [RIGHT],
    });
  });

  it('makes calls with one id and other arguments in pieces', async () => {
    const end = one({}, 'tool_calls');
    expect(await read(...pieces(RIGHT, 0), ...pieces(WRONG, 1), end)).toMatchObject({
      calls: [RIGHT, WRONG],
    });
  });
});

describe.each(DRIVERS)('Anthropic, driver %s', (driver) => {
  const start = (id: string) => ({
    type: 'message_start',
    message: { id, model: 'm', role: 'assistant', content: [], usage: { input_tokens: 7, output_tokens: 0 } },
  });
  const block = (index: number, content_block: JsonValue, delta: JsonValue): JsonValue[] => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
  const said = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' });
  const call = (input: JsonValue, id = 'a') =>
    block(
      1,
      { type: 'tool_use', id, name: 'bash', input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    );
  const ended = (stop_reason = 'end_turn') => ({
    type: 'message_delta',
    delta: { stop_reason },
    usage: { output_tokens: 2 },
  });
  const stop = { type: 'message_stop' };
  const read = (...events: JsonValue[]) => play('anthropic', driver, lines(...events));

  it.each<[string, JsonValue[]]>([
    ['after the stop reason', [ended(), ...call(WRONG), stop]],
    ['after the end', [ended(), stop, ...call(WRONG), ended('tool_use'), stop]],
    [
      'of a second answer after the end',
      [ended(), stop, start('n'), ...call(WRONG), ended('tool_use'), stop],
    ],
    ['of a second answer before the end', [ended(), start('n'), ...call(WRONG), ended('tool_use'), stop]],
  ])('makes no call %s', async (_name, after) => {
    expect(await read(start('m'), ...said, ...after)).toEqual({
      text: 'Done.',
      calls: [],
      finishReason: 'stop',
    });
  });

  it('fails a stream that begins another answer after a complete call', async () => {
    const answer = await read(
      start('m'),
      ...call(WRONG),
      start('n'),
      ...call(RIGHT, 'b'),
      ended('tool_use'),
      stop,
    );
    expect(answer).toMatchObject({ message: expect.stringContaining('another answer after a call') });
  });

  it('makes a repeated call once', async () => {
    const answer = await read(start('m'), ...call(RIGHT), ...call(RIGHT), ended('tool_use'), stop);
    expect(answer).toMatchObject({ calls: [RIGHT] });
  });
});

describe.each(DRIVERS)('Responses, driver %s', (driver) => {
  const created = (id: string) => ({ type: 'response.created', response: { id, created_at: 1, model: 'm' } });
  const item = { type: 'message', id: 'i' };
  const said: JsonValue[] = [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', item_id: 'i', delta: 'Done.' },
    { type: 'response.output_item.done', output_index: 0, item },
  ];
  const call = (input: JsonValue, id = 'a') => {
    const made = { type: 'function_call', id: `item-${id}`, call_id: id, name: 'bash', status: 'completed' };
    return [
      { type: 'response.output_item.added', output_index: 1, item: { ...made, arguments: '' } },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { ...made, arguments: JSON.stringify(input) },
      },
    ];
  };
  const completed = {
    type: 'response.completed',
    response: { usage: { input_tokens: 7, output_tokens: 2 } },
  };
  const read = (...events: JsonValue[]) => play('openai', driver, lines(...events));

  it('makes no call after the end, or of a second response', async () => {
    for (const after of [call(WRONG), [created('s'), ...call(WRONG), completed]])
      expect(await read(created('r'), ...said, completed, ...after)).toEqual({
        text: 'Done.',
        calls: [],
        finishReason: 'stop',
      });
  });

  it('fails a stream that begins another response after a complete call', async () => {
    const answer = await read(created('r'), ...call(WRONG), created('s'), ...call(RIGHT, 'b'), completed);
    expect(answer).toMatchObject({ message: expect.stringContaining('another response after a call') });
  });

  it('makes a repeated call once, and each call of several outputs', async () => {
    const answer = await read(created('r'), ...call(RIGHT), ...call(RIGHT), ...call(WRONG, 'b'), completed);
    expect(answer).toMatchObject({ calls: [RIGHT, WRONG] });
  });
});

describe('Google', () => {
  const candidate = (index: number, parts: JsonValue[], finishReason?: string) => ({
    index,
    content: { parts },
    ...(finishReason === undefined ? {} : { finishReason }),
  });
  const call = (args: JsonValue) => ({ functionCall: { name: 'bash', args } });
  const chunk = (candidates: JsonValue[], responseId = 'r') => ({ candidates, responseId });
  const read = (sent: JsonValue[]) => play('google', 'ai-sdk', lines(...sent));

  it('makes no call of another candidate, streamed or whole', async () => {
    const sent = [
      chunk([candidate(1, [call(WRONG)])]),
      chunk([candidate(0, [call(RIGHT)])]),
      chunk([candidate(0, [], 'STOP'), candidate(1, [], 'STOP')]),
    ];
    expect(await read(sent)).toMatchObject({ calls: [RIGHT] });
    expect(await play('google', 'ai-sdk', sent)).toMatchObject({ calls: [RIGHT] });
  });

  it('reads the first candidate of a stream without a candidate 0', async () => {
    const sent = [chunk([candidate(1, [call(RIGHT)], 'STOP')]), chunk([candidate(2, [call(WRONG)], 'STOP')])];
    expect(await read(sent)).toMatchObject({ calls: [RIGHT] });
  });

  it('makes no call after the end, or of a second response', async () => {
    const said = chunk([candidate(0, [{ text: 'Done.' }])]);
    const late = chunk([candidate(0, [call(WRONG)], 'STOP')]);
    expect(await read([said, chunk([candidate(0, [{ text: '' }], 'STOP')]), late])).toMatchObject({
      calls: [],
    });
    const whole = chunk([candidate(0, [{ text: 'Done.' }], 'STOP')]);
    const second = chunk([candidate(0, [call(WRONG)], 'STOP')], 's');
    expect(await read([whole, second])).toMatchObject({ text: 'Done.', calls: [] });
  });

  it('reads an answer with a finish reason in each of its chunks', async () => {
    const sent = [
      chunk([candidate(0, [{ text: 'I look.' }], 'STOP')]),
      chunk([candidate(0, [call(RIGHT)], 'STOP')]),
    ];
    expect(await read(sent)).toMatchObject({ text: 'I look.', calls: [RIGHT] });
  });
});

describe.each<[ProviderKind, Driver]>([
  ['openai-compatible', 'ai-sdk'],
  ['openai-compatible', 'native'],
  ['anthropic', 'ai-sdk'],
  ['anthropic', 'native'],
  ['openai', 'ai-sdk'],
  ['openai', 'native'],
  ['google', 'ai-sdk'],
])('%s, driver %s', (kind, driver) => {
  it('fails an answer that has only events of another format, and quotes the first', async () => {
    const answer = await play(kind, driver, lines({ kind: 'mood', value: 'good' }, { kind: 'end' }) + DONE);
    expect(answer).toMatchObject({ error: 'provider_bad_response' });
    expect(answer.message).toContain('no event of the expected format. It began with');
    expect(answer.message).toContain('mood');
  });
});
