import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
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
  async function eventsOf(
    answer: (response: ServerResponse) => void,
    kind: ProviderKind = 'openai-compatible',
  ) {
    const server = await startChatServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      answer(response);
    });
    const made = await createModelDriver({
      kind,
      apiKey: 'key',
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

  it.each<[ProviderKind, object]>([
    [
      'anthropic',
      {
        type: 'message',
        id: 'm',
        model: 'm',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'Whole.' },
          { type: 'tool_use', id: 't', name: 'read', input: { path: 'x' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, output_tokens: 3 },
      },
    ],
    [
      'openai',
      {
        object: 'response',
        id: 'r',
        created_at: 1,
        model: 'm',
        status: 'completed',
        output: [
          { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Whole.' }] },
          { type: 'function_call', id: 'f', call_id: 't', name: 'read', arguments: '{"path":"x"}' },
        ],
        usage: { input_tokens: 5, output_tokens: 3 },
      },
    ],
    [
      'google',
      [
        { candidates: [{ content: { parts: [{ text: 'Whole.' }] } }] },
        {
          candidates: [
            {
              content: { parts: [{ functionCall: { name: 'read', args: { path: 'x' } } }] },
              finishReason: 'STOP',
            },
          ],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 },
        },
      ],
    ],
  ])('that is a whole answer of %s is read as one', async (kind, whole) => {
    const events = await eventsOf((response) => response.end(JSON.stringify(whole, null, 2)), kind);
    expect(textOf(events)).toBe('Whole.');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-call', name: 'read', input: { path: 'x' } }),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'tool-calls',
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
