import type { ServerResponse } from 'node:http';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';

/** Tokens of one number, such as `n12. `. */
const TOKENS_EACH = 2;
const SUMMARY = JSON.stringify({ keep: [], condense: [], summary: 'They talked about rivers.' });

export interface CountingOptions {
  windowTokens: number;
  /** The last number of an answer. Infinity: the answer never ends by itself. */
  last: number;
  /** Whether an answer begins with a thought. */
  thinks?: boolean;
}

/** One answer: its pieces, and how it ends. */
interface Counted {
  pieces: string[];
  isCut: boolean;
  promptTokens: number;
  outputTokens: number;
  thought: string | undefined;
}

/**
 * Starts a server that counts upwards from the last number of the newest answer in the request, in the protocol of its
 * path, until it has reached the last number or has filled the window.
 */
export async function startCountingServer(options: CountingOptions) {
  const answer = async ({ url, body }: Received, response: ServerResponse) => {
    const asked = JSON.parse(String(body || '{}'));
    const form = FORMS[url];
    if (form === undefined || (url.endsWith('/chat/completions') && isForSummary(body)))
      return sendSummary(response);
    const counted = count(String(body), asked, options);
    const isStream = url === '/api/chat' ? asked.stream !== false : asked.stream === true;
    if (!isStream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(form.whole(counted)));
    }
    response.writeHead(200, {
      'content-type': url === '/api/chat' ? 'application/x-ndjson' : 'text/event-stream',
    });
    for (const event of form.events(counted)) {
      if (response.destroyed) return;
      response.write(url === '/api/chat' ? `${JSON.stringify(event)}\n` : sse(event));
      // Each event in a chunk of its own, and time for the gateway to stop the stream.
      await new Promise(setImmediate);
    }
    response.end();
  };
  const reports = { '/props': { default_generation_settings: { n_ctx: options.windowTokens } } };
  const server = await startRecordingUpstream(answer, reports);
  const sent = (path: string) =>
    server.received
      .filter(({ url, body }) => url === path && !isForSummary(body))
      .map(({ body }) => JSON.parse(String(body)));
  return { ...server, sent };
}

function isForSummary(body: Buffer): boolean {
  return body.includes('summary') && body.includes('keep');
}

function sendSummary(response: ServerResponse): void {
  const choice = { index: 0, delta: { content: SUMMARY }, finish_reason: 'stop' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
}

function count(body: string, asked: Record<string, unknown>, options: CountingOptions): Counted {
  const promptTokens = Math.ceil(body.length / 4);
  const numbers = [...body.matchAll(/n(\d+)\. /g)].map(([, digits]) => Number(digits));
  const from = Math.max(0, ...numbers) + 1;
  const room = Math.floor((options.windowTokens - promptTokens) / TOKENS_EACH);
  const wanted = asked['max_tokens'] ?? asked['max_output_tokens'];
  const most = Math.min(room, typeof wanted === 'number' ? Math.floor(wanted / TOKENS_EACH) : room);
  const length = Math.max(1, Math.min(options.last - from + 1, most));
  return {
    pieces: Array.from({ length }, (_, index) => `n${from + index}. `),
    isCut: from + length - 1 < options.last,
    promptTokens,
    outputTokens: length * TOKENS_EACH,
    thought: options.thinks ? 'Hm. ' : undefined,
  };
}

function sse(event: Record<string, unknown>): string {
  return `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`;
}

type Event = Record<string, unknown>;

interface Form {
  whole: (counted: Counted) => object;
  events: (counted: Counted) => Event[];
}

const FORMS: Readonly<Record<string, Form>> = {
  '/v1/chat/completions': { whole: wholeChat, events: () => [] },
  '/v1/messages': { whole: wholeMessage, events: messageEvents },
  '/v1/responses': { whole: wholeResponse, events: responseEvents },
  '/api/chat': { whole: (counted) => ollamaEnd(counted, counted.pieces.join('')), events: ollamaLines },
};

function wholeChat({ pieces, isCut, promptTokens, outputTokens }: Counted): object {
  const message = { role: 'assistant', content: pieces.join('') };
  const choices = [{ index: 0, message, finish_reason: isCut ? 'length' : 'stop' }];
  const usage = { prompt_tokens: promptTokens, completion_tokens: outputTokens };
  return { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}

function wholeMessage({ pieces, isCut, promptTokens, outputTokens, thought }: Counted): Event {
  const thinking = thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: '' }];
  return {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [...thinking, { type: 'text', text: pieces.join('') }],
    stop_reason: isCut ? 'max_tokens' : 'end_turn',
    usage: { input_tokens: promptTokens, output_tokens: outputTokens },
  };
}

function messageEvents(counted: Counted): Event[] {
  const { pieces, thought, promptTokens } = counted;
  const whole = wholeMessage(counted);
  const usage = { input_tokens: promptTokens, output_tokens: 1 };
  const index = thought === undefined ? 0 : 1;
  const thinking = [
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: thought } },
    { type: 'content_block_stop', index: 0 },
  ];
  return [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null, usage } },
    { type: 'ping' },
    ...(thought === undefined ? [] : thinking),
    { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
    ...pieces.map((text) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index },
    {
      type: 'message_delta',
      delta: { stop_reason: whole['stop_reason'], stop_sequence: null },
      usage: { output_tokens: counted.outputTokens },
    },
    { type: 'message_stop' },
  ];
}

let lastId = 0;

function wholeResponse({ pieces, isCut, promptTokens, outputTokens, thought }: Counted): Event {
  lastId += 1;
  const part = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] };
  const reasoning = { type: 'reasoning', id: `rs${lastId}`, summary: [] };
  const message = {
    type: 'message',
    id: `msg${lastId}`,
    role: 'assistant',
    status: 'completed',
    content: [part],
  };
  const usage = {
    input_tokens: promptTokens,
    output_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  };
  return {
    id: `resp${lastId}`,
    object: 'response',
    created_at: 1,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    model: 'm',
    output: thought === undefined ? [message] : [reasoning, message],
    usage,
  };
}

function responseEvents(counted: Counted): Event[] {
  const whole = wholeResponse(counted);
  const output = whole['output'] as Event[];
  const item = output.at(-1) as Event;
  const output_index = output.length - 1;
  const place = { item_id: item['id'], output_index, content_index: 0 };
  const [part] = item['content'] as Event[];
  const reasoning = [
    { type: 'response.output_item.added', output_index: 0, item: output[0] },
    { type: 'response.output_item.done', output_index: 0, item: output[0] },
  ];
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    { type: 'response.in_progress', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    ...(counted.thought === undefined ? [] : reasoning),
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...counted.pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text: part?.['text'] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index, item },
    { type: counted.isCut ? 'response.incomplete' : 'response.completed', response: whole },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function ollamaEnd({ isCut, promptTokens, outputTokens }: Counted, content: string): Event {
  return {
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content },
    done: true,
    done_reason: isCut ? 'length' : 'stop',
    prompt_eval_count: promptTokens,
    eval_count: outputTokens,
  };
}

function ollamaLines(counted: Counted): Event[] {
  const created_at = '2026-01-01T00:00:00Z';
  const line = (content: string) => ({
    model: 'm',
    created_at,
    message: { role: 'assistant', content },
    done: false,
  });
  return [...counted.pieces.map(line), ollamaEnd(counted, '')];
}
