import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Engine } from '../engine/engine.ts';
import { readModelText } from './answer-events.ts';
import { readChatBody } from './chat-body.ts';
import { Completion } from './completion.ts';
import { sendFailure, sendJson } from './responses.ts';

/** So often a byte is sent while the model reads, so that nobody takes the silence for a failure. */
const SIGN_OF_LIFE_MS = 5_000;

/** `POST /v1/chat/completions` */
export async function answerChat(
  engine: Engine,
  body: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { request: asked, streams, includesUsage } = readChatBody(body);
  const controller = new AbortController();
  const leave = () => controller.abort();
  request.once('aborted', leave);
  response.once('close', leave);
  const completion = new Completion({
    id: `chatcmpl-${randomUUID()}`,
    model: engine.facts.model,
    created: Math.floor(Date.now() / 1000),
  });
  const stream = streams ? openStream(response) : undefined;
  using _signs = signsOfLife(stream?.comment);
  const answer = engine.answer({ ...asked, signal: controller.signal });
  try {
    for await (const event of readModelText(answer, asked.tools, { onReading: () => stream?.start() })) {
      for (const chunk of completion.push(event)) stream?.send(chunk);
    }
  } catch (thrown) {
    if (controller.signal.aborted) return;
    sendFailure(response, thrown);
    return;
  }
  if (controller.signal.aborted) return;
  if (stream === undefined) {
    sendJson(response, 200, { ...completion.whole(), timings: completion.timings });
    return;
  }
  if (includesUsage) stream.send({ ...completion.usageChunk(), timings: completion.timings });
  stream.end();
}

interface EventStream {
  start(): void;
  send(chunk: object): void;
  comment(): void;
  end(): void;
}

/** The head is sent with the first event, so that a request that fails before it has a status. */
function openStream(response: ServerResponse): EventStream {
  const start = () => {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
  };
  const write = (text: string) => {
    start();
    response.write(text);
  };
  return {
    start,
    send: (chunk) => write(`data: ${JSON.stringify(chunk)}\n\n`),
    comment: () => write(': reading\n\n'),
    end() {
      write('data: [DONE]\n\n');
      response.end();
    },
  };
}

function signsOfLife(say: (() => void) | undefined): Disposable {
  const timer = say === undefined ? undefined : setInterval(say, SIGN_OF_LIFE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
