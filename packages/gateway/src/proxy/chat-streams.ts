import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';
import type { AnswerSoFar } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { limitNotice } from '../notices.ts';
import { AnswerContinuer, type ContinuerOptions } from './answer-continuer.ts';
import type { ClientStream } from './client-stream.ts';
import { contextHeaders } from './context-headers.ts';
import { type RelayEnd, StreamRelay } from './stream-relay.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnLessons } from './turn-lessons.ts';

export interface ChatStreamsOptions extends Omit<ContinuerOptions, 'maxBodyBytes'> {
  client: ClientStream;
}

/** Passes the streams of one answer on. If the window becomes full, it continues the answer in another stream. */
export class ChatStreams {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #options: ChatStreamsOptions;
  readonly #client: ClientStream;
  readonly #context: TurnContext;
  readonly #lessons: TurnLessons;
  readonly #continuer: AnswerContinuer;

  constructor(core: GatewayCore, exchange: Exchange, options: ChatStreamsOptions) {
    this.#core = core;
    this.#exchange = exchange;
    this.#options = options;
    const { client, context, lessons } = options;
    this.#client = client;
    this.#context = context;
    this.#lessons = lessons;
    this.#continuer = new AnswerContinuer({ ...options, maxBodyBytes: core.settings.maxBodyBytes });
  }

  /** Returns false if the request must be sent again. */
  async pass(first: IncomingMessage, isUsageOurs: boolean): Promise<boolean> {
    const relay = new StreamRelay({
      client: this.#client,
      isUsageOurs,
      headers: contextHeaders(this.#context.prepared),
      explain: this.#options.explain,
    });
    let soFar: AnswerSoFar | undefined;
    for (let answer = first; ; ) {
      const watch = this.#context.watchStream();
      const end = await relay.relay(answer, watch);
      if (this.#exchange.signal.aborted) return true;
      if (end.kind === 'broken') throw end.error;
      if (end.kind === 'ended') return this.#endStream(relay);
      if (end.kind === 'refused') {
        if (soFar === undefined) return this.#passRefusal(end);
        answer = await this.#continuer.continue(soFar, end.error);
        continue;
      }
      const outputTokens = watch?.outputTokens ?? 0;
      const promptTokens = relay.usage?.promptTokens ?? this.#context.prepared?.estimatedTokens ?? 0;
      this.#context.limit.noteWritten(outputTokens);
      relay.continueAnswer({ promptTokens, completionTokens: outputTokens });
      const usedTokens = promptTokens + outputTokens;
      if (end.kind === 'over') return this.#endFull(relay, { usedTokens, reason: WINDOW_FULL });
      soFar = end.soFar;
      const next = await this.#continuer.continueOrEnd(soFar, end.error);
      if (next instanceof LonghaulError) return this.#endFull(relay, { usedTokens, reason: next.message });
      answer = next;
    }
  }

  async #passRefusal({ error, rest, answer }: Extract<RelayEnd, { kind: 'refused' }>): Promise<boolean> {
    this.#client.expectAnother();
    if (await this.#lessons.canRetry(error)) return false;
    this.#core.noteError(error, this.#context.about);
    this.#client.begin(answer, { without: ['content-length', 'content-encoding'] });
    await this.#client.write(rest);
    this.#client.end();
    return true;
  }

  async #endStream(relay: StreamRelay): Promise<boolean> {
    this.#client.end();
    if (relay.hadError) {
      this.#core.noteError(new LonghaulError('provider_bad_response', ERROR_IN_STREAM), this.#context.about);
    }
    if (relay.usage !== undefined) await this.#lessons.learnFrom(relay.usage);
    this.#lessons.renewWindow();
    return true;
  }

  /** Ends an answer that has filled the window and cannot be continued. */
  async #endFull(relay: StreamRelay, { usedTokens, reason }: FullWindow): Promise<boolean> {
    await this.#client.notice(limitNotice(usedTokens, this.#context.prepared?.request.windowTokens ?? 0));
    this.#core.noteError(new LonghaulError('context_exhausted', reason), this.#context.about);
    await this.#client.finish('length', relay.usageForClient);
    return true;
  }
}

interface FullWindow {
  /** Tokens of the last request and its answer. */
  usedTokens: number;
  reason: string;
}

const WINDOW_FULL = 'The window became full in the middle of an answer.';

const ERROR_IN_STREAM = 'The upstream sent an error in the middle of its answer.';
