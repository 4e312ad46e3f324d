import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelDriver } from '@longhaul/drivers';
import type { ModelAnswer, ModelDriverHarness } from '@longhaul/testing/contracts';
import { socketFetch } from '../src/client/socket-fetch.ts';
import type { AnswerEvent, AnswerRequest, Engine } from '../src/engine/engine.ts';
import { createModelServer } from '../src/process/model-server.ts';

const FACTS = {
  model: 'tiny',
  windowTokens: 32_768,
  trainedTokens: 32_768,
  slots: 1,
  windowSource: 'a test',
  gpu: false,
  threads: 1,
} as const;

/**
 * The server of a model at a socket, with an engine that says what a test sets. What no engine can make it send, such as
 * half a chunk, is sent in its place.
 */
export async function openEmbeddedServer(): Promise<ModelDriverHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-embedded-'));
  const socket = join(folder, 'model.sock');
  const requests: string[] = [];
  const state: { answer: ModelAnswer; abandoned: number } = {
    answer: { kind: 'text', text: 'ok' },
    abandoned: 0,
  };
  const modelServer = createModelServer({
    engine: Promise.resolve(saying(() => state.answer)),
    onActivity: () => {},
  });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => {
      body += bytes.toString();
    });
    request.once('end', () => requests.push(body));
    response.once('close', () => {
      if (!response.writableFinished) state.abandoned += 1;
    });
    if (!sendBroken(state.answer, response)) modelServer.emit('request', request, response);
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    driver: ({ stallMs, apiKey } = {}) =>
      createModelDriver({
        kind: 'embedded',
        provider: 'embedded',
        model: 'tiny',
        baseUrl: 'http://embedded.invalid/v1',
        info: {
          provider: 'embedded',
          model: 'tiny',
          windowTokens: FACTS.windowTokens,
          maxOutputTokens: 4_096,
          accepts: { images: true, files: true },
        },
        fetch: socketFetch(socket),
        ...(stallMs === undefined ? {} : { stallMs }),
        ...(apiKey === undefined ? {} : { apiKey }),
      }),
    answer(answer) {
      state.answer = answer;
    },
    requests,
    get abandoned() {
      return state.abandoned;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) {
        server.close();
        await once(server, 'close');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function saying(answer: () => ModelAnswer): Engine {
  return {
    facts: FACTS,
    answer: (request) => say(answer(), request),
    countTokens: () => 1,
    tokenize: () => [],
    save: async () => {},
  };
}

async function* say(answer: ModelAnswer, { signal }: AnswerRequest): AsyncGenerator<AnswerEvent, void> {
  if (answer.kind === 'silence') {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return;
  }
  const text = 'text' in answer ? answer.text : '';
  for (const word of text.split(/(?<= )/)) {
    if (signal.aborted) return;
    yield { type: 'text', text: word };
  }
  if (answer.kind === 'stream-error') throw new Error(answer.message);
  if (answer.kind === 'tool-calls') {
    for (const call of answer.calls)
      yield {
        type: 'text',
        text: `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>\n`,
      };
  }
  const { inputTokens = 1, outputTokens = 1 } = (answer.kind === 'text' ? answer.usage : undefined) ?? {};
  const counted = { promptTokens: inputTokens, cachedTokens: 0, outputTokens };
  yield { type: 'end', reason: 'stop', ...counted, readMs: 0, writeMs: 0 };
}

/** Returns false for an answer that the server itself gives. */
function sendBroken(answer: ModelAnswer, response: ServerResponse): boolean {
  if (answer.kind === 'http-error') {
    const { status, message, retryAfterSeconds } = answer;
    const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    response.writeHead(status, { 'content-type': 'application/json', ...retry });
    response.end(JSON.stringify({ error: { code: status, message } }));
    return true;
  }
  if (answer.kind !== 'cut-socket' && answer.kind !== 'cut-clean' && answer.kind !== 'malformed-chunk')
    return false;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ content: answer.text }));
  if (answer.kind === 'cut-socket') setImmediate(() => response.destroy());
  else if (answer.kind === 'cut-clean') response.end();
  else response.end(`data: {"choices": [{\n\n${chunk({}, 'stop')}data: [DONE]\n\n`);
  return true;
}

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const base = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'tiny' };
  return `data: ${JSON.stringify({ ...base, choices })}\n\n`;
}
