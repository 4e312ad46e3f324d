import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';
import type { AnswerSoFar } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { limitNotice } from '../notices.ts';
import { AnswerContinuer, type ContinuerOptions } from './answer-continuer.ts';
import type { AnswerRelay, RelayEnd } from './answer-relay.ts';
import type { ClientStream } from './client-stream.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnLessons } from './turn-lessons.ts';

export interface AnswerStreamsOptions extends Omit<ContinuerOptions, 'maxBodyBytes'> {
  client: ClientStream;
}

/** Passes the streams of one answer on. If the window becomes full, it continues the answer in another stream. */
export class AnswerStreams {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #client: ClientStream;
  readonly #context: TurnContext;
  readonly #lessons: TurnLessons;
  readonly continuer: AnswerContinuer;

  constructor(core: GatewayCore, exchange: Exchange, options: AnswerStreamsOptions) {
    this.#core = core;
    this.#exchange = exchange;
    const { client, context, lessons } = options;
    this.#client = client;
    this.#context = context;
    this.#lessons = lessons;
    this.continuer = new AnswerContinuer({ ...options, maxBodyBytes: core.settings.maxBodyBytes });
  }

  /** Returns false if the request must be sent again. */
  async pass(first: IncomingMessage, relay: AnswerRelay): Promise<boolean> {
    let soFar: AnswerSoFar | undefined;
    for (let answer = first; ; ) {
      const watch = this.#context.watchStream();
      const end = await relay.relay(answer, watch);
      if (this.#exchange.signal.aborted) return true;
      if (end.kind === 'broken') throw end.error;
      if (end.kind === 'ended') return this.#endStream(relay);
      if (end.kind === 'refused') {
        if (soFar === undefined) return this.#passRefusal(end);
        answer = await this.continuer.continue(soFar, end.error);
        continue;
      }
      const outputTokens = watch?.outputTokens ?? 0;
      const promptTokens = relay.usage?.promptTokens ?? this.#context.prepared?.estimatedTokens ?? 0;
      this.#context.limit.noteWritten(outputTokens);
      relay.continueAnswer({ promptTokens, completionTokens: outputTokens });
      const usedTokens = promptTokens + outputTokens;
      if (end.kind === 'over') return this.#endFull(relay, { usedTokens, reason: WINDOW_FULL });
      soFar = end.soFar;
      const next = await this.continuer.continueOrEnd(soFar, end.error);
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

  async #endStream(relay: AnswerRelay): Promise<boolean> {
    this.#client.end();
    if (relay.hadError) {
      this.#core.noteError(new LonghaulError('provider_bad_response', ERROR_IN_STREAM), this.#context.about);
    }
    if (relay.usage !== undefined) await this.#lessons.learnFrom(relay.usage);
    this.#lessons.renewWindow();
    return true;
  }

  /** Ends an answer that has filled the window and cannot be continued. */
  async #endFull(relay: AnswerRelay, { usedTokens, reason }: FullWindow): Promise<boolean> {
    this.#core.noteError(new LonghaulError('context_exhausted', reason), this.#context.about);
    await relay.endAtLength(limitNotice(usedTokens, this.#context.prepared?.request.windowTokens ?? 0));
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
