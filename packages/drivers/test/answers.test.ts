import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { calls, DONE, inTurn, type RawAnswer, says } from './raw-answers.ts';
import { type StartOptions, startOn } from './run-on-server.ts';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

async function run(answers: RawAnswer[], options?: StartOptions) {
  server.answer(inTurn(answers));
  const started = await startOn(server, options);
  const result = await started.test.run('go');
  return { ...started, result, requests: server.requests.map((body) => JSON.parse(body)) };
}

const CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "door"}}\n</tool_call>';
const UNREAD = '<tool_call>\nlook at the door\n</tool_call>';

describe('a tool call as text', () => {
  it('runs, and the next request contains it as a call with its result', async () => {
    const { result, tools, requests } = await run([says(`I look.\n${CALL}`), says('It is open.')]);
    expect(result).toMatchObject({ status: 'completed', text: 'It is open.' });
    expect(await tools()).toMatchObject([{ name: 'look', input: { at: 'door' }, state: 'completed' }]);
    const [assistant, answer] = requests[1].messages.slice(-2);
    expect(assistant).toMatchObject({ content: 'I look.\n', tool_calls: [{ function: { name: 'look' } }] });
    expect(answer).toMatchObject({ role: 'tool', content: 'saw {"at":"door"}' });
    expect(JSON.stringify(requests[1])).not.toContain('<tool_call>');
  });

  it('that cannot be read is asked for again', async () => {
    const { result, tools, requests } = await run([
      says(UNREAD),
      calls({ id: 'c', arguments: '{}' }),
      says('Done.'),
    ]);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(await tools()).toHaveLength(1);
    expect(requests[1].messages.at(-1)).toMatchObject({ role: 'user' });
    expect(requests[1].messages.at(-1).content).toContain('was not run');
  });

  it('that cannot be read twice in a row fails the run', async () => {
    const { result } = await run([says(UNREAD)]);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_bad_response' } });
    expect(server.requests).toHaveLength(2);
  });

  it('is the answer if the setting allows it', async () => {
    const { result } = await run([says(CALL)], { settings: { toolCallsInText: false } });
    expect(result).toMatchObject({ status: 'completed', text: CALL });
  });
});

describe('thoughts between tags', () => {
  it('are stored as reasoning, and are not part of the answer', async () => {
    const { result, test } = await run([says('<think>\nHm.\n</think>\n\nDone.')]);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    const { parts } = (await test.messages()).at(-1) ?? {};
    expect(parts).toMatchObject([
      { type: 'reasoning', text: '\nHm.\n', state: 'done' },
      { type: 'text', text: 'Done.', state: 'done' },
    ]);
  });

  it.each([['Hm.\n</think>\n\nDone.'], ['Hm.\n<tool_call>\n{"name": "look"}\n</think>\n\nDone.']])(
    'that no tag opens are stored as reasoning: %j',
    async (answer) => {
      const { result, test } = await run([says(answer)]);
      expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
      const { parts } = (await test.messages()).at(-1) ?? {};
      expect(parts).toMatchObject([
        { type: 'reasoning', text: answer.slice(0, answer.indexOf('</think>')), state: 'done' },
        { type: 'text', text: 'Done.', state: 'done' },
      ]);
    },
  );

  it('before a call are stored as reasoning, and the call runs', async () => {
    const { tools, test } = await run([says(`Hm.\n</think>\n\n${CALL}`), says('Done.')]);
    expect(await tools()).toMatchObject([{ name: 'look', state: 'completed' }]);
    expect((await test.messages())[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.\n' },
      { type: 'tool', name: 'look' },
    ]);
  });

  it('alone do not count as an answer: the model is asked again', async () => {
    const { result, requests } = await run([says('<think>Hm, and then'), says('Done.')]);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(requests[1].messages.at(-1)).toMatchObject({ role: 'user' });
  });

  it('alone, twice in a row, fail the run', async () => {
    const { result } = await run([says('<think>Hm.</think>')]);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'empty_answer' } });
  });
});

describe('an answer that says nothing', () => {
  it.each([
    '\u200b',
    '\u2060\ufeff',
    '\0',
    '<|im_end|>',
    '```\n```',
    '…',
    '<think>Hm.</think>\u200d',
    '</s>',
  ])('is asked for again, then fails the run: %j', async (answer) => {
    const { result, requests } = await run([says(answer), says('Done.')]);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(requests[1].messages.at(-1).content).toContain('was empty');
    expect((await run([says(answer)])).result).toMatchObject({
      status: 'failed',
      error: { code: 'empty_answer' },
    });
  });

  it('shows an answer without the token that ends its turn, and keeps the token in the log', async () => {
    const { result, test } = await run([says('Done.<|im_end|>')]);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect((await test.messages()).at(-1)?.parts).toMatchObject([{ text: 'Done.<|im_end|>' }]);
  });
});

describe('arguments', () => {
  it.each([
    ['as Python', `{'at': 'door'}`],
    ['with a raw newline and a tag', '{"at":\n"door"}\n</tool_call>'],
    ['encoded twice', JSON.stringify('{"at":"door"}')],
  ])('%s are repaired before the call is stored', async (_name, args) => {
    const { result, tools, requests } = await run([calls({ id: 'c', arguments: args }), says('Done.')]);
    expect(result.status).toBe('completed');
    const [tool] = await tools();
    expect(tool).toMatchObject({ input: { at: 'door' }, state: 'completed' });
    expect(tool).not.toHaveProperty('inputText');
    expect(requests[1].messages.at(-2).tool_calls[0].function.arguments).toBe('{"at":"door"}');
  });

  it('that the server cut in the middle are not repaired', async () => {
    const { tools } = await run([calls({ id: 'c', arguments: '{"at":"do' }), says('Done.')]);
    expect(await tools()).toMatchObject([{ state: 'error' }]);
  });

  it('of a call in a name of its template run under the name of the tool', async () => {
    const { tools } = await run([calls({ id: 'c', name: 'functions.look', arguments: '{}' }), says('Done.')]);
    expect(await tools()).toMatchObject([{ name: 'look', state: 'completed' }]);
  });
});

it('keeps a finished answer whose usage has no choices', async () => {
  const { result } = await run([
    (response) => {
      startStream(response);
      const usage = { prompt_tokens: 50, completion_tokens: 2, total_tokens: 52 };
      const counted = `data: ${JSON.stringify({ id: 'c', choices: null, usage })}\n\n`;
      response.end(chunk({ content: 'Done.' }) + chunk({}, 'stop') + counted + DONE);
    },
  ]);
  expect(result).toMatchObject({ status: 'completed', text: 'Done.', usage: { inputTokens: 50 } });
  expect(server.requests).toHaveLength(1);
});
