import { expect, test } from 'vitest';
import type { Json } from '../../wire/json.ts';
import { MESSAGE_ANSWERS } from './messages-answer.ts';
import { OLLAMA_ANSWERS } from './ollama-answer.ts';
import { RESPONSE_ANSWERS } from './responses-answer.ts';
import type { AnswerForm, WayAnswer } from './way-answer.ts';

const USED = { promptTokens: 100, completionTokens: 50 };

/** Returns what a client gets of a stopped stream and of those that continue it. */
function shown(form: AnswerForm, streams: readonly Json[][], change?: (answer: WayAnswer) => Json[]): Json[] {
  const answer = form.start();
  const events = streams.flatMap((stream, index) => {
    if (index > 0) answer.continueAnswer(USED);
    return stream.flatMap((event) => {
      answer.note(event);
      return index === 0 ? [event] : answer.rewritten(event);
    });
  });
  return [...events, ...(change?.(answer) ?? [])];
}

const block = (index: number, content_block: Json) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, piece: Json) => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const START = { type: 'message_start', message: { id: 'a', usage: { input_tokens: 9, output_tokens: 1 } } };
const text = (piece: string) => ({ type: 'text_delta', text: piece });
const OPEN_TEXT = [START, block(0, { type: 'text', text: '' }), delta(0, text('One, '))];

test('closes the text of a message before a tool call that follows in another stream', () => {
  const call = { type: 'tool_use', id: 't1', name: 'read', input: {} };
  const next = [
    START,
    block(0, { type: 'thinking', thinking: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    stop(0),
    block(1, { type: 'text', text: '' }),
    delta(1, text('two.')),
    stop(1),
    block(2, call),
    delta(2, { type: 'input_json_delta', partial_json: '{}' }),
    stop(2),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
  expect(shown(MESSAGE_ANSWERS, [OPEN_TEXT, next]).slice(OPEN_TEXT.length)).toEqual([
    delta(0, text('two.')),
    stop(0),
    block(1, call),
    delta(1, { type: 'input_json_delta', partial_json: '{}' }),
    stop(1),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 57 } },
    { type: 'message_stop' },
  ]);
});

test('shows the text after a thought of a message that was stopped in the thought', () => {
  const first = [START, block(0, { type: 'thinking', thinking: '' })];
  const next = [START, block(0, { type: 'text', text: '' }), delta(0, text('Yes.')), stop(0)];
  expect(shown(MESSAGE_ANSWERS, [first, next]).slice(2)).toEqual([
    stop(0),
    block(1, { type: 'text', text: '' }),
    delta(1, text('Yes.')),
    stop(1),
  ]);
});

test('ends a message at its maximum length, after a text of its own', () => {
  const end = (answer: WayAnswer) => {
    answer.continueAnswer(USED);
    return [...answer.textEvents('!'), ...answer.lengthEnd()];
  };
  expect(shown(MESSAGE_ANSWERS, [[START]], end).slice(1)).toEqual([
    block(0, { type: 'text', text: '' }),
    delta(0, text('!')),
    stop(0),
    {
      type: 'message_delta',
      delta: { stop_reason: 'max_tokens', stop_sequence: null },
      usage: { output_tokens: 50 },
    },
    { type: 'message_stop' },
  ]);
});

const created = (id: string) => ({
  type: 'response.created',
  response: { id, created_at: 1, status: 'in_progress', output: [] },
});
const itemEvent = (kind: 'added' | 'done', output_index: number, item: Json) => ({
  type: `response.output_item.${kind}`,
  output_index,
  item,
});
const message = (id: string, content: Json[] = []) => ({ type: 'message', id, role: 'assistant', content });
const part = (piece: string) => ({ type: 'output_text', text: piece });
const place = (item_id: string, output_index: number) => ({ item_id, output_index, content_index: 0 });
const piece = (item_id: string, output_index: number, value: string) => ({
  type: 'response.output_text.delta',
  ...place(item_id, output_index),
  delta: value,
});
const FIRST = [
  created('r1'),
  itemEvent('added', 0, message('m1')),
  { type: 'response.content_part.added', ...place('m1', 0), part: part('') },
  piece('m1', 0, 'One, '),
].map((event, sequence_number) => ({ ...event, sequence_number }));

test('joins messages of responses, leaves out later thoughts, and keeps a call', () => {
  const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'read', arguments: '{}' };
  const next = [
    created('r2'),
    itemEvent('added', 0, { type: 'reasoning', id: 'x' }),
    itemEvent('done', 0, { type: 'reasoning', id: 'x' }),
    itemEvent('added', 1, message('m2')),
    { type: 'response.content_part.added', ...place('m2', 1), part: part('') },
    piece('m2', 1, 'two.'),
    { type: 'response.output_text.done', ...place('m2', 1), text: 'two.' },
    { type: 'response.content_part.done', ...place('m2', 1), part: part('two.') },
    itemEvent('done', 1, message('m2', [part('two.')])),
    itemEvent('added', 2, call),
    { type: 'response.function_call_arguments.delta', item_id: 'f1', output_index: 2, delta: '{}' },
    itemEvent('done', 2, call),
    {
      type: 'response.completed',
      response: { id: 'r2', created_at: 2, status: 'completed', output: [], usage: { output_tokens: 7 } },
    },
  ];
  const all = shown(RESPONSE_ANSWERS, [FIRST, next]);
  expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index));
  const whole = message('m1', [part('One, two.')]);
  expect(all.slice(FIRST.length).map(({ sequence_number: _, ...event }) => event)).toEqual([
    piece('m1', 0, 'two.'),
    { type: 'response.output_text.done', ...place('m1', 0), text: 'One, two.' },
    { type: 'response.content_part.done', ...place('m1', 0), part: part('One, two.') },
    itemEvent('done', 0, whole),
    itemEvent('added', 1, call),
    { type: 'response.function_call_arguments.delta', item_id: 'f1', output_index: 1, delta: '{}' },
    itemEvent('done', 1, call),
    {
      type: 'response.completed',
      response: {
        id: 'r1',
        created_at: 1,
        status: 'completed',
        output: [whole, call],
        usage: { input_tokens: 100, output_tokens: 57, total_tokens: 150 },
      },
    },
  ]);
});

test('closes the message of a response before a call in another stream', () => {
  const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'read', arguments: '{}' };
  const next = [created('r2'), itemEvent('added', 0, call), itemEvent('done', 0, call)];
  const types = shown(RESPONSE_ANSWERS, [FIRST, next])
    .slice(FIRST.length)
    .map(({ type, output_index }) => [type, output_index]);
  expect(types).toEqual([
    ['response.output_text.done', 0],
    ['response.content_part.done', 0],
    ['response.output_item.done', 0],
    ['response.output_item.added', 1],
    ['response.output_item.done', 1],
  ]);
});

test('ends a response at its maximum length, after a text of its own', () => {
  const end = (answer: WayAnswer) => {
    answer.continueAnswer(USED);
    return [...answer.textEvents('Stopped.'), ...answer.lengthEnd()];
  };
  const all = shown(RESPONSE_ANSWERS, [FIRST], end);
  expect(all.at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: {
      id: 'r1',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ id: 'm1', content: [part('One, Stopped.')] }],
      usage: { output_tokens: 50 },
    },
  });
});

test.each([
  [
    MESSAGE_ANSWERS,
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', input: { b: 1 } },
      ],
    },
  ],
  [RESPONSE_ANSWERS, { output: [message('m', [part('a')]), { type: 'function_call', arguments: '{}' }] }],
  [OLLAMA_ANSWERS, { message: { content: 'a', tool_calls: [{ function: { name: 'b' } }] } }],
])('reads text and calls of a whole answer', (form, answer) => {
  expect(form.wholeFacts(answer)).toMatchObject({ text: 'a', hasCall: true });
});
