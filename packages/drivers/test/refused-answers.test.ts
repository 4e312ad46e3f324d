import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatServer, startChatServer, startStream } from './chat-server.ts';
import { DONE, type RawAnswer, sends } from './raw-answers.ts';
import { startOn } from './run-on-server.ts';

// A refusal in the model's own words: https://platform.openai.com/docs/guides/structured-outputs#refusals

const WORDS = 'I cannot help with that.';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const streams =
  (...events: object[]): RawAnswer =>
  (response) => {
    startStream(response);
    response.end(sse(...events) + DONE);
  };
const whole = (body: object) => sends([200, { 'content-type': 'application/json' }], JSON.stringify(body));

const delta = (fields: object, finish: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const completion = (message: object, finish = 'stop') => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
});

const CHAT: [string, RawAnswer][] = [
  [
    'in deltas',
    streams(
      delta({ role: 'assistant', content: '', refusal: null }),
      delta({ refusal: 'I cannot help' }),
      delta({ refusal: ' with that.' }),
      delta({}, 'stop'),
    ),
  ],
  [
    'in deltas, with the finish reason content_filter',
    streams(delta({ content: null, refusal: WORDS }), delta({}, 'content_filter')),
  ],
  [
    'in a part of the content',
    streams(delta({ content: [{ type: 'refusal', refusal: WORDS }] }), delta({}, 'stop')),
  ],
  ['in a whole answer', whole(completion({ content: null, refusal: WORDS }))],
  [
    'in a part of the content of a whole answer',
    whole(completion({ content: [{ type: 'refusal', refusal: WORDS }] })),
  ],
  ['in a whole answer as an event', streams(completion({ content: '', refusal: WORDS }))],
];

const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const item = (status: string, content: object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status,
  content,
});
const PART = { type: 'refusal', refusal: WORDS };
const response = (status: string, output: object[]) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
  usage: {
    input_tokens: 9,
    output_tokens: 5,
    total_tokens: 14,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});
const created = { type: 'response.created', response: response('in_progress', []) };
const added = { type: 'response.output_item.added', output_index: 0, item: item('in_progress', []) };
const done = {
  type: 'response.output_item.done',
  output_index: 0,
  item: item('completed', [PART]),
};
const completed = {
  type: 'response.completed',
  response: response('completed', [item('completed', [PART])]),
};

const RESPONSES: [string, RawAnswer][] = [
  [
    'in deltas',
    streams(
      created,
      added,
      { type: 'response.content_part.added', ...place, part: { type: 'refusal', refusal: '' } },
      { type: 'response.refusal.delta', ...place, delta: 'I cannot help' },
      { type: 'response.refusal.delta', ...place, delta: ' with that.' },
      { type: 'response.refusal.done', ...place, refusal: WORDS },
      { type: 'response.content_part.done', ...place, part: PART },
      done,
      completed,
    ),
  ],
  [
    'in the event that ends it',
    streams(created, added, { type: 'response.refusal.done', ...place, refusal: WORDS }, done, completed),
  ],
  ['in the last event only', streams(created, completed)],
  ['in a whole answer', whole(completed.response)],
];

describe.each(['ai-sdk', 'native'] as const)('a refusal, with the driver %s', (driver) => {
  const start = (kind: 'openai' | 'openai-compatible') =>
    startOn(server, { kind, provider: kind, model: 'm', apiKey: 'key', settings: { driver } });

  it.each<['openai' | 'openai-compatible', string, RawAnswer]>(
    [
      ...CHAT.map(([form, answer]) => ['openai-compatible', form, answer] as const),
      ...RESPONSES.map(([form, answer]) => ['openai', form, answer] as const),
    ].map(([kind, form, answer]) => [kind, form, answer]),
  )('of %s is shown once as the text of the answer and fails the run: %s', async (kind, _form, answer) => {
    server.answer(answer);
    const { test } = await start(kind);
    const result = await test.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_content_filter' } });
    expect(server.requests).toHaveLength(1);
    const parts = (await test.messages()).flatMap((message) => message.parts);
    const said = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(said).toEqual(['go', WORDS]);
  });

  it('that is empty does not count as a refusal', async () => {
    server.answer(streams(delta({ content: 'Done.', refusal: '' }), delta({ refusal: null }, 'stop')));
    const { test } = await start('openai-compatible');
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
  });
});
