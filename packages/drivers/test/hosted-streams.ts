/** Pieces of each hosted provider's stream in its wire format: a beginning with text, an error, and an end. */
export interface HostedStream {
  begin(text: string): string;
  error(message: string): string;
  end: string;
}

const named = (body: { type: string }) => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const plain = (body: object) => `data: ${JSON.stringify(body)}\n\n`;

const ANTHROPIC_MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};

export const HOSTED_STREAMS: Record<'anthropic' | 'openai' | 'google', HostedStream> = {
  anthropic: {
    begin: (text) =>
      [
        { type: 'message_start', message: ANTHROPIC_MESSAGE },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      ]
        .map(named)
        .join(''),
    error: (message) => named({ type: 'error', ...{ error: { type: 'invalid_request_error', message } } }),
    end: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]
      .map(named)
      .join(''),
  },
  openai: {
    begin: (text) =>
      [
        { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-5.1' } },
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'message', id: 'i1', status: 'in_progress', role: 'assistant', content: [] },
        },
        { type: 'response.output_text.delta', item_id: 'i1', output_index: 0, content_index: 0, delta: text },
      ]
        .map(named)
        .join(''),
    error: (message) =>
      named({
        type: 'error',
        ...{ sequence_number: 4, error: { type: 'invalid_request_error', code: null, message, param: null } },
      }),
    end: named({
      type: 'response.completed',
      ...{ response: { id: 'r1', usage: { input_tokens: 3, output_tokens: 2 } } },
    }),
  },
  google: {
    begin: (text) => plain({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] }),
    error: (message) => plain({ error: { code: 400, status: 'INVALID_ARGUMENT', message } }),
    end: plain({
      candidates: [{ content: { role: 'model', parts: [{ text: '.' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    }),
  },
};
