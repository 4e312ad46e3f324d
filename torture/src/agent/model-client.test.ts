import type { ViewAssistantPart, ViewMessage } from '@longhaul/context/engine';
import type { StepEvent } from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import {
  createScriptedModelServer,
  type Script,
  seededRandom,
  textOf,
  toChatRequest,
  toolResults,
} from '@longhaul/scripted-model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientRotation, describeClient, MODEL_CLIENTS, type ModelClient } from './model-client.ts';

const WINDOW_TOKENS = 1_000;
const INFO = { model: 'scripted', windowTokens: WINDOW_TOKENS, maxOutputTokens: 200 };

async function start(client: ModelClient, script: Script) {
  const server = await createScriptedModelServer({ script, windowTokens: WINDOW_TOKENS, chunkChars: 3 });
  onTestFinished(() => server.close());
  const bodies: { path: string; body: unknown }[] = [];
  const driver = await createModelDriver({
    kind: client.kind,
    provider: client.kind,
    model: 'scripted',
    baseUrl: server.url,
    apiKey: 'any',
    settings: { driver: client.driver },
    info: { provider: client.kind, ...INFO, accepts: { images: true, files: false } },
    fetch: (input, init) => {
      bodies.push({ path: new URL(String(input)).pathname, body: JSON.parse(String(init?.body)) });
      return fetch(input, init);
    },
  });
  const tools = [
    { name: 'look', description: 'Looks.', parameters: { type: 'object' as const, properties: {} } },
  ];
  const requestOf = (messages: ViewMessage[]) => ({
    system: 'Be terse.',
    messages,
    tools,
    maxOutputTokens: 200,
    signal: new AbortController().signal,
  });
  const ask = async (messages: ViewMessage[]) => {
    const events: StepEvent[] = [];
    for await (const event of driver.step(requestOf(messages))) events.push(event);
    return events;
  };
  return { driver, server, bodies, ask, requestOf };
}

const task: ViewMessage = { role: 'user', content: [{ type: 'text', text: 'Look around.' }] };

/** Turns the events of a step into the message that a session would send back. */
function answerOf(events: readonly StepEvent[], model: string): ViewMessage {
  const content: ViewAssistantPart[] = [];
  for (const event of events) {
    if (event.type === 'reasoning-start') content.push({ type: 'reasoning', text: '' });
    else if (event.type === 'text-start') content.push({ type: 'text', text: '' });
    else if (event.type === 'reasoning-delta' || event.type === 'text-delta') {
      const last = content.at(-1);
      if (last?.type === 'reasoning' || last?.type === 'text') last.text += event.text;
    } else if (event.type === 'reasoning-end') {
      const last = content.at(-1);
      if (last?.type === 'reasoning') last.providerMetadata = event.providerMetadata;
    } else if (event.type === 'tool-call') {
      const { callId, name, input } = event;
      const output = [{ type: 'text' as const, text: 'A door.' }];
      content.push({ type: 'tool', callId, name, input, output, isError: false });
    }
  }
  return { role: 'assistant', model, content };
}

describe.each(MODEL_CLIENTS.map((client) => [describeClient(client), client] as const))(
  '%s',
  (_name, client) => {
    const call = { id: 'c1-l', name: 'look', arguments: { at: 'door' } };

    it('brings reasoning, text and calls, and takes them back with their results', async () => {
      const { ask, bodies, server } = await start(client, ({ number, messages }) =>
        number === 1
          ? { reasoning: 'Where am I?', text: 'I look first.', toolCalls: [call] }
          : `It shows ${toolResults(messages)[0]?.result}`,
      );
      const first = await ask([task]);
      const answer = answerOf(first, `${client.kind}/scripted`);
      expect(answer.content).toMatchObject([
        { type: 'reasoning', text: 'Where am I?' },
        { type: 'text', text: 'I look first.' },
        { type: 'tool', callId: 'c1-l', name: 'look', input: { at: 'door' } },
      ]);
      expect(first.at(-1)).toMatchObject({ type: 'finish' });

      const second = await ask([task, answer]);
      expect(answerOf(second, '').content).toMatchObject([{ text: 'It shows A door.' }]);
      expect(server.requests.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
      const { path = '', body } = bodies[1] ?? {};
      const [system, user, assistant, result] = toChatRequest(path, body).messages;
      expect(textOf(system)).toBe('Be terse.');
      expect(JSON.stringify(user)).toContain('Look around.');
      expect(assistant?.tool_calls).toMatchObject([{ id: 'c1-l', function: { name: 'look' } }]);
      expect(result).toMatchObject({ role: 'tool', tool_call_id: 'c1-l' });
      // Chat Completions have no form for reasoning that all servers accept.
      if (client.kind !== 'openai-compatible') expect(assistant?.reasoning_content).toBe('Where am I?');
    });

    it('reports a prompt that is too long as such', async () => {
      const { ask, server } = await start(client, () => 'Never said.');
      const long: ViewMessage = { role: 'user', content: [{ type: 'text', text: 'word '.repeat(2_000) }] };
      expect((await ask([long])).at(-1)).toMatchObject({
        type: 'error',
        error: { code: 'context_overflow' },
      });
      expect(server.overflows).toBe(1);
    });

    it.each(['cut', 'clean-cut', 'malformed-chunk', 'error-event'] as const)(
      'fails on the fault %s',
      async (kind) => {
        const { ask } = await start(client, () => ({
          text: 'A long answer, of many words.',
          fault: { kind },
        }));
        expect((await ask([task])).at(-1)).toMatchObject({ type: 'error' });
      },
    );

    it('counts the input of a request where the API can', async () => {
      const { driver, requestOf, server } = await start(client, () => 'Never said.');
      const counted = await driver.countTokens?.(requestOf([task]));
      if (client.kind === 'openai-compatible') expect(counted).toBeUndefined();
      else expect(counted).toBeGreaterThan(10);
      expect(server.requests).toHaveLength(0);
    });
  },
);

describe('the server', () => {
  const post = async (path: string, body: object) => {
    await using server = await createScriptedModelServer({ script: () => 'Hello.' });
    const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const said = { role: 'user', content: 'Hi' };
  const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };
  const text = (words: string) => ({ type: 'text', text: words });
  const marked = (words: string) => ({ ...text(words), cache_control: { type: 'ephemeral' } });
  const thought = { type: 'reasoning', encrypted_content: 'encrypted-by-the-script', summary: [] };

  it.each([
    ['no limit of the answer', { max_tokens: undefined }, 'max_tokens'],
    ['an assistant first', { messages: [{ role: 'assistant', content: 'Hi' }] }, 'first message'],
    ['a blank text', { messages: [{ role: 'user', content: [text(' ')] }] }, 'non-whitespace'],
    [
      'five breakpoints',
      { messages: [{ role: 'user', content: ['1', '2', '3', '4', '5'].map(marked) }] },
      'Found 5',
    ],
    [
      'a wrong signature',
      {
        messages: [
          said,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 'x' }] },
        ],
      },
      'signature',
    ],
    [
      'a call without a result',
      { messages: [said, { role: 'assistant', content: [call] }, said] },
      'tool_call_ids',
    ],
    [
      'a result after a text',
      {
        messages: [
          said,
          { role: 'assistant', content: [call] },
          { role: 'user', content: [text('Then'), { type: 'tool_result', tool_use_id: 'a' }] },
        ],
      },
      'must come first',
    ],
  ])('refuses messages with %s', async (_name, patch, reason) => {
    const whole = { model: 'scripted', max_tokens: 10, messages: [said], ...patch };
    const { status, text: body } = await post('/messages', whole);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(body).toContain(reason);
  });

  it.each([
    ['stored items', { store: true }, 'store'],
    ['reasoning alone', { input: [said, thought, said] }, 'required following item'],
    ['foreign reasoning', { input: [said, { ...thought, encrypted_content: 'x' }] }, 'could not be verified'],
    [
      'a call without a result',
      { input: [said, { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }] },
      'tool_call_ids',
    ],
  ])('refuses a response with %s', async (_name, patch, reason) => {
    const whole = { model: 'scripted', store: false, input: [said], ...patch };
    const { status, text: body } = await post('/responses', whole);
    expect(status).toBe(400);
    expect(body).toContain(reason);
  });

  it('answers without a stream in each form', async () => {
    const messages = { model: 'scripted', max_tokens: 10, messages: [said] };
    expect(JSON.parse((await post('/messages', messages)).text)).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
    });
    const response = { model: 'scripted', store: false, input: [said] };
    expect(JSON.parse((await post('/responses', response)).text)).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', content: [{ text: 'Hello.' }] }],
    });
  });
});

describe('clientRotation', () => {
  it('gives every client once in six lives, in an order that the seed determines', () => {
    const orders = [1, 2].map((seed) => {
      const clientOf = clientRotation(seededRandom(seed));
      return Array.from({ length: 12 }, (_, index) => describeClient(clientOf(index + 1)));
    });
    for (const order of orders)
      for (const round of [order.slice(0, 6), order.slice(6)])
        expect(new Set(round)).toEqual(new Set(MODEL_CLIENTS.map(describeClient)));
    expect(orders[0]).not.toEqual(orders[1]);
    const again = clientRotation(seededRandom(1));
    expect(describeClient(again(12))).toBe(orders[0]?.[11]);
  });
});
