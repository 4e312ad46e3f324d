import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Engine } from '../engine/engine.ts';
import { answerChat } from './answer-chat.ts';
import { readChatBody } from './chat-body.ts';
import { sendFailure, sendJson } from './responses.ts';

/** A conversation of a million tokens is smaller. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

export interface ModelServerOptions {
  /** The engine, once it is loaded. Requests wait for it. */
  engine: Promise<Engine>;
  /** Called at the beginning and at the end of every request. */
  onActivity(openRequests: number): void;
}

/**
 * The server of one model, for programs of the same user. It speaks as much of the protocol of llama.cpp's server as
 * Longhaul's drivers and gateway use.
 */
export function createModelServer({ engine, onActivity }: ModelServerOptions): Server {
  let open = 0;
  const server = createServer((request, response) => {
    onActivity(++open);
    response.once('close', () => onActivity(--open));
    answer(engine, request, response).catch((thrown: unknown) => sendFailure(response, thrown));
  });
  // A model can read for a long time before it answers.
  server.requestTimeout = 0;
  return server;
}

type Answer = (
  engine: Engine,
  body: string,
  exchange: { request: IncomingMessage; response: ServerResponse },
) => Promise<void> | void;

const text = z.object({ content: z.string() });

const ROUTES: Readonly<Record<string, Answer>> = {
  'GET /health': (_, __, { response }) => sendJson(response, 200, { status: 'ok' }),
  'GET /props': ({ facts }, _, { response }) =>
    sendJson(response, 200, {
      default_generation_settings: { n_ctx: facts.windowTokens },
      total_slots: facts.slots,
      modalities: { vision: false, audio: false },
      model_alias: facts.model,
      longhaul: { ...facts, pid: process.pid },
    }),
  'GET /v1/models': ({ facts }, _, { response }) =>
    sendJson(response, 200, {
      object: 'list',
      data: [
        {
          id: facts.model,
          object: 'model',
          owned_by: 'longhaul',
          meta: { n_ctx_train: facts.trainedTokens },
        },
      ],
    }),
  'POST /v1/chat/completions': answerChat,
  'POST /v1/chat/completions/input_tokens': (engine, body, { response }) =>
    sendJson(response, 200, { input_tokens: engine.countTokens(readChatBody(body).request) }),
  'POST /tokenize': (engine, body, { response }) =>
    sendJson(response, 200, { tokens: engine.tokenize(text.parse(JSON.parse(body)).content) }),
};

async function answer(
  engine: Promise<Engine>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const route = ROUTES[`${request.method} ${path}`];
  const body = await bodyOf(request);
  if (route === undefined) {
    const message = `There is no ${request.method} ${path}.`;
    sendJson(response, 404, { error: { code: 404, message, type: 'not_found_error' } });
    return;
  }
  await route(await engine, body, { request, response });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`The body of a request has at most ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
