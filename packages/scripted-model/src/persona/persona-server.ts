import type { IncomingMessage, ServerResponse } from 'node:http';
import { loadGptCounter } from '@longhaul/models';
import type { ChatCompletionRequest } from '@longhaul/protocol';
import { sendJson } from '../answer.ts';
import { unknownUrl } from '../api-error.ts';
import { answerChat, type ChatSettings } from '../chat-endpoint.ts';
import type { Fault } from '../fault.ts';
import { isRecord } from '../is-record.ts';
import { forgetIn, newRecord, type RequestRecord } from '../journal.ts';
import type { Handling } from '../own-words.ts';
import { type PromptCount, PromptCounter } from '../prompt-counter.ts';
import { readBody } from '../read-body.ts';
import { requestedMaxTokens } from '../request.ts';
import type { Script } from '../script.ts';
import { listenLocally } from '../server.ts';
import { countingReports } from './counting.ts';
import { dropOldest } from './drop-oldest.ts';
import { LLAMA_CPP } from './llamacpp.ts';
import { LM_STUDIO } from './lmstudio.ts';
import { OLLAMA } from './ollama.ts';
import type { LoadedModel, OverflowManner, Persona, PersonaName } from './persona.ts';
import { VLLM } from './vllm.ts';

export interface PersonaServerOptions {
  persona: PersonaName;
  script: Script;
  /** The window of the loaded model in tokens. */
  windowTokens: number;
  /** Default: a typical model of the persona, whose tokens are counted exactly. */
  model?: string;
  /** Default: that of the persona. */
  manner?: OverflowManner;
  /** Default: 131,072. */
  trainedTokens?: number;
  /** Whether the server reports its window. Default: true. */
  reportsWindow?: boolean;
  /** Default: 0, any free port. */
  port?: number;
  chunkChars?: number;
  chunkDelayMs?: number;
  faults?: Readonly<Record<number, Fault>>;
  /** Default: OpenAI's o200k_base. */
  countTokens?: (text: string) => number;
}

/** A scripted model server with the reports and errors of one kind of local model server. */
export interface PersonaServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly model: string;
  /** Every chat request, oldest first. */
  readonly requests: readonly RequestRecord[];
  /** All other requests by method and path, such as `GET /api/ps`. */
  readonly asked: readonly string[];
  /** Number of requests that were refused or silently shortened because of their size. */
  readonly overflows: number;
  /**
   * Reloads the model with another window. With undefined, unloads it, and the next request loads it with the same
   * window.
   */
  reload(windowTokens: number | undefined): void;
  close(): Promise<void>;
}

const PERSONAS: Readonly<Record<PersonaName, Persona>> = {
  lmstudio: LM_STUDIO,
  llamacpp: LLAMA_CPP,
  ollama: OLLAMA,
  vllm: VLLM,
};

/** @example await using server = await createPersonaServer({ persona: 'ollama', windowTokens: 4096, script }); */
export async function createPersonaServer(options: PersonaServerOptions): Promise<PersonaServer> {
  const countTokens = options.countTokens ?? (await loadGptCounter());
  const server = new ScriptedPersona({ ...options, countTokens });
  const { port, close } = await listenLocally(
    (request, response) => server.route(request, response),
    options.port,
  );
  return {
    url: `http://127.0.0.1:${port}/v1`,
    model: server.model.id,
    requests: server.requests,
    asked: server.asked,
    get overflows() {
      return server.requests.filter(
        ({ outcome, droppedTokens }) => outcome === 'overflow' || droppedTokens !== undefined,
      ).length;
    },
    reload: (windowTokens) => server.reload(windowTokens),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Counted = PersonaServerOptions & { countTokens: (text: string) => number };

class ScriptedPersona {
  readonly model: LoadedModel;
  readonly requests: RequestRecord[] = [];
  readonly asked: string[] = [];
  readonly #persona: Persona;
  readonly #options: Counted;
  readonly #counter: PromptCounter;

  constructor(options: Counted) {
    this.#persona = PERSONAS[options.persona];
    this.#options = options;
    this.#counter = new PromptCounter(options.countTokens);
    this.model = {
      id: options.model ?? this.#persona.defaultModel,
      windowTokens: options.windowTokens,
      trainedTokens: options.trainedTokens ?? 131_072,
      isLoaded: true,
    };
  }

  reload(windowTokens: number | undefined): void {
    this.model.isLoaded = windowTokens !== undefined;
    this.model.windowTokens = windowTokens ?? this.model.windowTokens;
  }

  route(request: IncomingMessage, response: ServerResponse): void {
    const target = `${request.method} ${request.url?.split('?')[0]}`;
    if (target !== 'POST /v1/chat/completions') return void this.#other(target, request, response);
    this.model.isLoaded = true;
    const record = newRecord(this.requests.length + 1, request.headers);
    this.requests.push(record);
    const forget = forgetIn(this.requests);
    void answerChat({ request, response, record, forget }, this.#settings(), this.#counter);
  }

  async #other(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(target);
    const body = parseBody(await readBody(request));
    const answer = this.#endpoints()[target];
    const unknown = unknownUrl(request.method ?? '', request.url ?? '');
    if (answer === undefined) sendJson(response, unknown.status, unknown.body);
    else sendJson(response, 200, answer(body));
  }

  #endpoints(): Record<string, (body: unknown) => unknown> {
    const { reportsWindow = true, countTokens } = this.#options;
    const listing = this.#persona.listing(this.model);
    return {
      ...(reportsWindow ? this.#persona.reports(this.model) : {}),
      ...(this.#persona.name === 'llamacpp' ? countingReports(countTokens) : {}),
      'GET /v1/models': () => ({
        object: 'list',
        data: [reportsWindow ? listing : { id: this.model.id, object: 'model' }],
      }),
      'POST /v1/completions': (body) => completion(this.model.id, body),
      'POST /v1/embeddings': () => embedding(this.model.id),
    };
  }

  #settings(): ChatSettings {
    const { script, faults = {}, chunkChars = 16, chunkDelayMs = 0, countTokens } = this.#options;
    return {
      script,
      faults,
      chunkChars,
      chunkDelayMs,
      countTokens,
      keepBodies: true,
      apiKey: undefined,
      model: this.model.id,
      windowTokens: this.model.windowTokens,
      maxOutputTokens: Number.POSITIVE_INFINITY,
      answersToAnyName: this.#persona.answersToAnyName,
      handleLength: (chat, prompt) => this.#handleLength(chat, prompt),
    };
  }

  #handleLength(chat: ChatCompletionRequest, prompt: PromptCount): Handling | undefined {
    const { windowTokens } = this.model;
    const asked = this.#persona.countsAnswer ? (requestedMaxTokens(chat) ?? 0) : 0;
    // At least one token of the answer must fit.
    if (prompt.promptTokens + Math.max(1, asked) <= windowTokens) return undefined;
    const { status, body } = this.#persona.refuse({ chat, prompt, windowTokens });
    const manner = this.#options.manner ?? this.#persona.defaultManner;
    if (manner === 'event') return { kind: 'event', body };
    const messages = manner === 'silent' ? dropOldest(chat, windowTokens - 1, this.#counter) : undefined;
    return messages === undefined ? { kind: 'status', status, body } : { kind: 'dropped', messages };
  }
}

function parseBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function completion(model: string, body: unknown): unknown {
  const prompt = isRecord(body) ? String(body['prompt']) : '';
  return {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model,
    choices: [{ index: 0, text: `${prompt}…`, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function embedding(model: string): unknown {
  return {
    object: 'list',
    model,
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 1] }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  };
}
