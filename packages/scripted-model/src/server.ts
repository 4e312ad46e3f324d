import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { loadGptCounter } from '@longhaul/models';
import { sendError, sendJson } from './answer.ts';
import { ApiError, unknownUrl } from './api-error.ts';
import { answerChat, type ChatSettings, checkKey } from './chat-endpoint.ts';
import { openDiskJournal } from './disk-journal.ts';
import type { Fault } from './fault.ts';
import { newRecord, type RequestRecord, type ScriptedModelStats, statsOf } from './journal.ts';
import { PromptCounter } from './prompt-counter.ts';
import { type RandomFaultOptions, randomFaults } from './random-faults.ts';
import type { Script } from './script.ts';

export interface ScriptedModelServerOptions {
  script: Script;
  /** Prompt and completion together. Default 128 000. */
  windowTokens?: number;
  /** The most a reply can hold, whatever is asked for. Default: what the window leaves. */
  maxOutputTokens?: number;
  /** The one model's name. Default `scripted`. */
  model?: string;
  /** Requests must bring it as a bearer token. Default: anything goes. */
  apiKey?: string;
  /** Default: a free one. */
  port?: number;
  /** Most characters of a streamed delta. Default 16. */
  chunkChars?: number;
  /** Waited before every chunk. Default 0. */
  chunkDelayMs?: number;
  /** What goes wrong with which request: `{1: {kind: 'status', status: 429}}`. It comes before what the script orders. */
  faults?: Readonly<Record<number, Fault>>;
  /** What goes wrong by chance, where `faults` has nothing for a request. */
  randomFaults?: RandomFaultOptions;
  /** A file that gets every request and every piece sent as it happens; see `JournalLine`. */
  journalFile?: string;
  /** Whether `requests` keeps the bodies. Default true. */
  keepBodies?: boolean;
  /** Default: OpenAI's o200k_base. */
  countTokens?: (text: string) => number;
}

/**
 * A model server that plays a script.
 *
 * It speaks OpenAI's Chat Completions on 127.0.0.1, counts tokens with a real tokenizer, and refuses what does not fit into its
 * window, in OpenAI's own words. It also refuses tool calls without results, and results without calls.
 */
export interface ScriptedModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly port: number;
  readonly model: string;
  /** Every chat request, oldest first. */
  readonly requests: readonly RequestRecord[];
  /** How many requests were refused for their size. */
  readonly overflows: number;
  stats(): ScriptedModelStats;
  /** Ends open connections, and is done when the port is free. */
  close(): Promise<void>;
}

/**
 * @example
 * await using server = await createScriptedModelServer({ script: () => 'Hello.', windowTokens: 16_384 });
 * const client = new OpenAI({ baseURL: server.url, apiKey: 'any' });
 */
export async function createScriptedModelServer(
  options: ScriptedModelServerOptions,
): Promise<ScriptedModelServer> {
  const settings = await withDefaults(options);
  const counter = new PromptCounter(settings.countTokens);
  const requests: RequestRecord[] = [];
  const http = createServer((request, response) => {
    try {
      route(request, response);
    } catch (error) {
      // Only `route` is synchronous here, and an answer of this kind is all it throws.
      if (!(error instanceof ApiError)) throw error;
      sendError(response, error);
    }
  });

  function route(request: IncomingMessage, response: ServerResponse): void {
    const target = `${request.method} ${request.url?.split('?')[0]}`;
    if (target === 'POST /v1/chat/completions') {
      const record = newRecord(requests.length + 1, request.headers);
      requests.push(record);
      void answerChat({ request, response, record }, settings, counter);
    } else if (target === 'GET /v1/models') {
      checkKey(request, settings.apiKey);
      sendJson(response, 200, modelList(settings));
    } else {
      throw unknownUrl(request.method ?? '', request.url ?? '');
    }
  }

  const port = await listen(http, options.port ?? 0);
  const closeHttp = closer(http);
  const close = async () => {
    await closeHttp();
    settings.journal?.[Symbol.dispose]();
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    model: settings.model,
    requests,
    get overflows() {
      return statsOf(requests).overflows;
    },
    stats: () => statsOf(requests),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function withDefaults(options: ScriptedModelServerOptions): Promise<ChatSettings> {
  return {
    script: options.script,
    windowTokens: options.windowTokens ?? 128_000,
    maxOutputTokens: options.maxOutputTokens ?? Number.POSITIVE_INFINITY,
    model: options.model ?? 'scripted',
    apiKey: options.apiKey,
    faults: options.faults ?? {},
    ...(options.randomFaults === undefined ? {} : { randomFault: randomFaults(options.randomFaults) }),
    ...(options.journalFile === undefined ? {} : { journal: openDiskJournal(options.journalFile) }),
    chunkChars: Math.max(1, options.chunkChars ?? 16),
    chunkDelayMs: options.chunkDelayMs ?? 0,
    keepBodies: options.keepBodies ?? true,
    countTokens: options.countTokens ?? (await loadGptCounter()),
  };
}

/** As vLLM lists them: `max_model_len` tells a client how long the window is. */
function modelList({ model, windowTokens }: ChatSettings): unknown {
  return {
    object: 'list',
    data: [{ id: model, object: 'model', created: 0, owned_by: 'longhaul', max_model_len: windowTokens }],
  };
}

/** A server on 127.0.0.1. Repeated calls of `close` wait for the same end. */
export async function listenLocally(
  route: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<{ port: number; close: () => Promise<void> }> {
  const http = createServer(route);
  return { port: await listen(http, port), close: closer(http) };
}

async function listen(http: Server, port: number): Promise<number> {
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** Repeated calls wait for the same end. */
function closer(http: Server): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve, reject) => {
      http.close((error) => (error === undefined ? resolve() : reject(error)));
      http.closeAllConnections();
    });
    return closing;
  };
}
