import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANSWERS_ABOUT_CALLS } from './answers-about-calls.ts';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { DONE, inTurn, type RawAnswer, says } from './raw-answers.ts';
import { startOn } from './run-on-server.ts';

let server: ChatServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server[Symbol.asyncDispose]());

/** Streams a text in pieces of a few characters. */
function saysSlowly(words: string): RawAnswer {
  return (response) => {
    startStream(response);
    for (const [piece] of words.matchAll(/.{1,3}/gsu)) response.write(chunk({ content: piece }));
    response.end(chunk({}, 'stop') + DONE);
  };
}

describe('an answer that writes about tool calls', () => {
  it.each(ANSWERS_ABOUT_CALLS)('is the answer, and runs nothing: %j', async (answer) => {
    for (const play of [says, saysSlowly]) {
      server.requests.length = 0;
      server.answer(play(answer));
      const { test, tools } = await startOn(server);
      expect(await test.run('Document the forms of tool calls.')).toMatchObject({
        status: 'completed',
        text: answer,
      });
      expect(await tools()).toEqual([]);
      expect(server.requests).toHaveLength(1);
    }
  });
});

const CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "door"}}\n</tool_call>';

describe('an answer that may be a call', () => {
  it.each([
    `${CALL}\nThis call looks at the door.`,
    'I look.\n<tool_call>',
    `The fixture file contains:\n\n${CALL}`,
    `The output:\n${CALL}`,
    `It looks like the test needs a rebuild:\n${CALL}`,
    `Check the format:\n${CALL}`,
    `The hook writes a log:\n${CALL}`,
    'The tokens are:\n[TOOL_CALLS]\n<tool_call>\n<tools>',
    '```tool_code\nlook(at="door")\n```\nis the form of Gemma.',
    'Thought: I look.\nAction: look\nAction Input: {"at": "door"}\nObservation: open\nFinal Answer: It is open.',
    'I look.\n[look(at="do',
    `I look.\n${CALL}\n<tool_response>\nopen\n</tool_response>\nIt is open.`,
    'I look.\n<tool_call>\n{"name": "look", "arguments": <arguments>}\n</tool_call>',
    'I ask.\n<tool_call>\n{"name": "ask", "arguments": {}}\n</tool_call>',
  ])('is asked for again once, then accepted with a warning: %j', async (answer) => {
    server.answer(says(answer));
    const { test, tools } = await startOn(server);
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: answer });
    expect(server.requests).toHaveLength(2);
    expect(await tools()).toEqual([]);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'context:warning', message: expect.stringContaining('was not run') }),
    );
  });

  it.each([
    'I look.\n<tool_call>\n{"name": "look", "arguments": {"at": "do',
    'I look.\n<function=look>\n<parameter=at>\ndo',
    'I look.\n[TOOL_CALLS]look[ARGS]{"at": "do',
    'I look.\n<|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at"',
    'I look.\n<invoke name="look">\n<parameter name="at">do',
    'I look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{"at": "do',
    '{"name": "look", "arguments": {"at": "do',
    '[look(at="do',
    '<look>\n<at>do',
    'Action: look\nAction Input: {"at": "do',
    'I look.\n<|tool_call_start|>[look(at="do',
    '<|python_tag|>look.call(at="do',
  ])('but breaks off is asked for again, and fails the second time: %j', async (answer) => {
    server.answer(inTurn([says(answer), says('Done.')]));
    const first = await startOn(server);
    expect(await first.test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
    server.answer(says(answer));
    const second = await startOn(server);
    expect(await second.test.run('go')).toMatchObject({
      status: 'failed',
      error: { code: 'provider_bad_response' },
    });
    expect(await second.tools()).toEqual([]);
  });
});
