import type { ViewMessage } from '@longhaul/context/engine';
import type { StepEvent, ToolSchema } from '@longhaul/core';
import { expect, test } from 'vitest';
import { createModelDriver } from './model-driver.ts';

const PATCH = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
const TOOL: ToolSchema = {
  name: 'apply_patch',
  description: 'Patches',
  parameters: { type: 'object', properties: { patch: { type: 'string' } }, required: ['patch'] },
  freeform: { parameter: 'patch', syntax: 'lark', definition: 'start: /.+/' },
};
const HISTORY: ViewMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  {
    role: 'assistant',
    model: 'openai/gpt-5',
    content: [
      {
        type: 'tool',
        callId: 'c1',
        name: 'apply_patch',
        input: { patch: PATCH },
        isError: false,
        output: [{ type: 'text', text: 'done' }],
      },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'again' }] },
] as ViewMessage[];

const EVENTS = [
  { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5' } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'custom_tool_call', id: 'i1', call_id: 'c2', name: 'apply_patch', input: '' },
  },
  { type: 'response.custom_tool_call_input.delta', output_index: 0, item_id: 'i1', delta: PATCH },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      type: 'custom_tool_call',
      id: 'i1',
      call_id: 'c2',
      name: 'apply_patch',
      input: PATCH,
      status: 'completed',
    },
  },
  {
    type: 'response.completed',
    response: {
      id: 'r',
      created_at: 1,
      model: 'gpt-5',
      output: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
];

async function play(driver: 'ai-sdk' | 'native', baseUrl?: string) {
  const bodies: Record<string, unknown>[] = [];
  const model = await createModelDriver({
    kind: 'openai',
    provider: 'openai',
    model: 'gpt-5',
    apiKey: 'k',
    ...(baseUrl !== undefined && { baseUrl }),
    settings: { driver },
    info: {
      provider: 'openai',
      model: 'gpt-5',
      windowTokens: 100_000,
      maxOutputTokens: 1_000,
      accepts: { images: false, files: false },
    },
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      const lines = EVENTS.map(
        (event, index) => `data: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
      );
      return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const events: StepEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of model.step({ system: 's', messages: HISTORY, tools: [TOOL], signal }))
    events.push(event);
  return { events, body: bodies[0] };
}

test.each(['ai-sdk', 'native'] as const)('sends and reads a freeform tool with %s', async (driver) => {
  const { events, body } = await play(driver);
  expect(body?.['tools']).toEqual([
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Patches',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
  ]);
  expect(body?.['input']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: PATCH }),
      expect.objectContaining({ type: 'custom_tool_call_output', call_id: 'c1', output: 'done' }),
    ]),
  );
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
    callId: 'c2',
    name: 'apply_patch',
    input: { patch: PATCH },
  });
});

test.each(['ai-sdk', 'native'] as const)('sends a function to another server with %s', async (driver) => {
  const { body } = await play(driver, 'https://example.com/v1');
  expect(body?.['tools']).toEqual([expect.objectContaining({ type: 'function', name: 'apply_patch' })]);
});
