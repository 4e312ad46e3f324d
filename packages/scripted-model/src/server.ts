import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { loadGptCounter } from '@longhaul/models';
import { sendError, sendJson } from './answer.ts';
import { ApiError, unknownUrl } from './api-error.ts';
import { answerChat, answerCount, type ChatSettings, checkKey } from './chat-endpoint.ts';
import { openDiskJournal } from './disk-journal.ts';
import type { Fault } from './fault.ts';
import { forgetIn, newRecord, type RequestRecord, type ScriptedModelStats, statsOf } from './journal.ts';
import { PromptCounter } from './prompt-counter.ts';
import { type RandomFaultOptions, randomFaults } from './random-faults.ts';
import type { Script } from './script.ts';
import { countedWireAt, wireAt } from './wire/wires.ts';

export interface ScriptedModelServerOptions {
  script: Script;
  /** Tokens of prompt and completion together. Default: 128,000. */
  windowTokens?: number;
  /** Maximum tokens of a reply, whatever the request allows. Default: the rest of the window. */
  maxOutputTokens?: number;
  /** Name of the only model. Default: `scripted`. */
  model?: string;
  /** The bearer token that requests must have. Default: requests need no token. */
  apiKey?: string;
  /** Default: a free port. */
  port?: number;
  /** Maximum characters of a streamed delta. Default: 16. */
  chunkChars?: number;
  /** Delay before every chunk. Default: 0. */
  chunkDelayMs?: number;
  /** Faults by request number: `{1: {kind: 'status', status: 429}}`. They have precedence over the script's faults. */
  faults?: Readonly<Record<number, Fault>>;
  /** Random faults for requests that are not in `faults`. */
  randomFaults?: RandomFaultOptions;
  /** A file to which every request and every sent piece is appended; see `JournalLine`. */
  journalFile?: string;
  /**
   * What happens to requests for a summary in the provider's own form, in Messages and Responses. Such a summary is
   * sealed: it stands for a text that only this server can see. Default `is unknown`.
   */
  compaction?: 'works' | 'fails' | 'is unknown';
  /** Returns the title of a session for its task. Such requests have no number. Default: the task's first line. */
  title?: (task: string) => string;
  /** Whether `requests` keeps the bodies. Default: true. */
  keepBodies?: boolean;
  /** Default: OpenAI's o200k_base. */
  countTokens?: (text: string) => number;
}

/**
 * A model server that plays a script.
 *
 * It implements OpenAI's Chat Completions and Responses and Anthropic's Messages on 127.0.0.1, and counts tokens with a
 * real tokenizer. It refuses prompts that do not fit into its window with the provider's error message. It also refuses
 * tool calls without results, and results without calls.
 */
export interface ScriptedModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly port: number;
  readonly model: string;
  /** Every chat request, oldest first. */
  readonly requests: readonly RequestRecord[];
  /** Number of requests that were refused because of their size. */
  readonly overflows: number;
  stats(): ScriptedModelStats;
  /** Closes open connections. Resolves when the port is free. */
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
      // Only the synchronous part of `route` throws here, and it throws only `ApiError`.
      if (!(error instanceof ApiError)) throw error;
      sendError(response, error);
    }
  });

  function route(request: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = request.url?.split('?') ?? [];
    const [wire, counted] = request.method === 'POST' ? [wireAt(path), countedWireAt(path)] : [];
    if (wire !== undefined) {
      const record = newRecord(requests.length + 1, request.headers);
      requests.push(record);
      void answerChat({ request, response, record, wire, forget: forgetIn(requests) }, settings, counter);
    } else if (counted !== undefined) {
      void answerCount({ request, response, wire: counted }, settings, counter);
    } else if (`${request.method} ${path}` === 'GET /v1/models') {
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
    randomFault: options.randomFaults === undefined ? undefined : randomFaults(options.randomFaults),
    journal: options.journalFile === undefined ? undefined : openDiskJournal(options.journalFile),
    chunkChars: Math.max(1, options.chunkChars ?? 16),
    chunkDelayMs: options.chunkDelayMs ?? 0,
    compaction: options.compaction ?? 'is unknown',
    title: options.title,
    keepBodies: options.keepBodies ?? true,
    countTokens: options.countTokens ?? (await loadGptCounter()),
  };
}

/** Returns the models in the form of vLLM: `max_model_len` is the window. */
function modelList({ model, windowTokens }: ChatSettings): unknown {
  return {
    object: 'list',
    data: [{ id: model, object: 'model', created: 0, owned_by: 'longhaul', max_model_len: windowTokens }],
  };
}

/** Starts a server on 127.0.0.1. Repeated calls of `close` wait for the same close. */
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

/** Returns a `close` function whose repeated calls wait for the same close. */
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
