/** A protocol that the gateway compacts, as the benchmark uses it. */
export interface BenchWay {
  name: string;
  path: string;
  /** Returns a request with these messages of the user and the assistant, in turns, as JSON. */
  body: (texts: readonly string[], more?: object) => string;
  /** Returns the bytes of a stream event with a text. */
  chunk: (text: string) => string;
  /** Returns the events that end a stream. */
  end: string;
}

function turns(texts: readonly string[]) {
  return texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
}

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const chatChunk = (content: string, finish_reason: string | null = null) => {
  const choice = { index: 0, delta: { content }, logprobs: null, finish_reason };
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
};
const line = (content: string, more: object) =>
  `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, ...more })}\n`;

export const BENCH_WAYS: readonly BenchWay[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: (texts, more) => JSON.stringify({ model: 'm', stream: true, ...more, messages: turns(texts) }),
    chunk: chatChunk,
    end: `${chatChunk('', 'stop')}data: [DONE]\n\n`,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: (texts, more) => JSON.stringify({ model: 'm', stream: true, ...more, input: turns(texts) }),
    chunk: (delta) =>
      event('response.output_text.delta', { item_id: 'm1', output_index: 0, content_index: 0, delta }),
    end: event('response.completed', { response: { id: 'r1', status: 'completed', output: [] } }),
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: (texts, more) =>
      JSON.stringify({ model: 'm', stream: true, max_tokens: 1_000, ...more, messages: turns(texts) }),
    chunk: (text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    end:
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }) +
      event('message_stop', {}),
  },
  {
    name: 'ollama',
    path: '/api/chat',
    body: (texts, more) => JSON.stringify({ model: 'm', ...more, messages: turns(texts) }),
    chunk: (text) => line(text, { done: false }),
    end: line('', { done: true, done_reason: 'stop' }),
  },
];
