import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatUsage } from '@longhaul/protocol';
import type { ModelAnswer } from '@longhaul/testing/contracts';

/** Writes an answer byte by byte, for answers that no correct server sends. */
export type RawAnswer = (response: ServerResponse) => void;

export interface ChatServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: string[];
  /** Connections that the client closed before the answer was complete. */
  readonly abandoned: number;
  answer(answer: ModelAnswer | RawAnswer): void;
}

/** A Chat Completions endpoint that misbehaves on demand. */
export async function startChatServer(): Promise<ChatServer> {
  const requests: string[] = [];
  let abandoned = 0;
  let next: ModelAnswer | RawAnswer = { kind: 'text', text: 'ok' };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    requests.push(body);
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    if (typeof next === 'function') next(response);
    else play(next, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get abandoned() {
      return abandoned;
    },
    answer(answer) {
      next = answer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function chunk(delta: object, finishReason: string | null = null, usage?: ChatUsage): string {
  const choices = usage === undefined ? [{ index: 0, delta, finish_reason: finishReason }] : [];
  const body = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'served-model', choices };
  return `data: ${JSON.stringify({ ...body, ...(usage === undefined ? {} : { usage }) })}\n\n`;
}

const DONE = 'data: [DONE]\n\n';

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function play(answer: ModelAnswer, response: ServerResponse): void {
  if (answer.kind === 'http-error') {
    const retry = answer.retryAfterSeconds;
    const headers = retry === undefined ? {} : { 'retry-after': String(retry) };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: answer.message, type: 'error' } }));
    return;
  }
  startStream(response);
  if (answer.kind === 'silence') {
    response.flushHeaders();
    return;
  }
  if (answer.kind === 'tool-calls') {
    response.end(toolCallChunks(answer.calls) + chunk({}, 'tool_calls') + DONE);
    return;
  }
  for (const word of answer.text.split(/(?<= )/)) response.write(chunk({ content: word }));
  if (answer.kind === 'cut-socket') setImmediate(() => response.destroy());
  else if (answer.kind === 'cut-clean') response.end();
  else if (answer.kind === 'malformed-chunk') {
    response.end(`data: {"choices": [{\n\n${chunk({ content: 'rest' })}${chunk({}, 'stop')}${DONE}`);
  } else if (answer.kind === 'stream-error') {
    response.end(`data: ${JSON.stringify({ error: { message: answer.message, code: 400 } })}\n\n`);
  } else {
    const { usage } = answer;
    response.write(chunk({}, 'stop'));
    if (usage !== undefined) response.write(chunk({}, null, toChatUsage(usage)));
    response.end(DONE);
  }
}

function toolCallChunks(calls: readonly { callId: string; name: string; arguments: string }[]): string {
  return calls
    .map((call, index) => {
      const half = Math.ceil(call.arguments.length / 2);
      const start = {
        index,
        id: call.callId,
        type: 'function',
        function: { name: call.name, arguments: '' },
      };
      const piece = (text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
      return (
        chunk({ tool_calls: [start] }) +
        piece(call.arguments.slice(0, half)) +
        piece(call.arguments.slice(half))
      );
    })
    .join('');
}

function toChatUsage(usage: { inputTokens: number; outputTokens: number }): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
