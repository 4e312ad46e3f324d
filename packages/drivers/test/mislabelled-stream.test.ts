import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import { chunk, startChatServer } from './chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from './drive.ts';

const COMPLETION = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'served-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A whole\nanswer.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
};

describe.each(['ai-sdk', 'native'] as const)('with the driver %s, an answer labelled as JSON', (driver) => {
  async function eventsOf(answer: (response: ServerResponse) => void) {
    const server = await startChatServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      answer(response);
    });
    const made = await createModelDriver({
      kind: 'openai-compatible',
      provider: 'mine',
      model: 'served-model',
      baseUrl: server.url,
      info: MODEL_INFO,
      settings: { driver },
    });
    return collect(made, requestOf([userSays('Hello.')]));
  }
  const textOf = (events: Awaited<ReturnType<typeof eventsOf>>) =>
    events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

  it('that is a stream of events is read as one, in pieces of any size', async () => {
    const stream = `: hello\n\n${chunk({ content: 'Some ' })}${chunk({ content: 'text.' })}${chunk({}, 'stop')}data: [DONE]\n\n`;
    const events = await eventsOf((response) => {
      for (const byte of ['\n', ...stream]) response.write(byte);
      response.end();
    });
    expect(textOf(events)).toBe('Some text.');
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('that is a whole completion is read as one', async () => {
    const events = await eventsOf((response) => response.end(JSON.stringify(COMPLETION, null, 2)));
    expect(textOf(events)).toBe('A whole\nanswer.');
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: 5, outputTokens: 3 },
    });
  });

  it.each(['{"ok":true}', '[]', '', 'null', '{"choices":'])(
    'that is neither is an error: %j',
    async (body) => {
      const events = await eventsOf((response) => response.end(body));
      expect(events).toMatchObject([{ type: 'error', error: { code: 'provider_bad_request' } }]);
    },
  );
});
