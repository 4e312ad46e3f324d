import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import { textDigest } from '../compaction/conversation/message-digest.ts';
import type { ContextNotice } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { limitNotice, noticeOf } from '../notices.ts';
import type { Route } from '../upstream/router.ts';
import { AnswerStreams } from './answer-streams.ts';
import { CHAT_FORM } from './chat-form.ts';
import { observedUsage } from './chunk-facts.ts';
import { ClientStream } from './client-stream.ts';
import { contextHeaders } from './context-headers.ts';
import { continueWhole } from './continue-whole.ts';
import { doubtWindowAfter, explainFailure, type FailedAnswer } from './explain-failure.ts';
import type { ChatRequest } from './read-chat.ts';
import { requestBody } from './request-body.ts';
import { StreamRelay } from './stream-relay.ts';
import { TurnContext } from './turn-context.ts';
import { TurnLessons } from './turn-lessons.ts';
import { readWhole, sendWhole, type WholeAnswer } from './whole-answer.ts';

/** Handles one chat request: prepares and sends it, retries or continues it if needed, and passes the answer on. */
export class ChatTurn {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #chat: ChatRequest;
  readonly #route: Route;
  readonly #client: ClientStream;
  readonly #context: TurnContext;
  readonly #lessons: TurnLessons;
  readonly #streams: AnswerStreams;

  constructor(core: GatewayCore, exchange: Exchange, { chat, route }: { chat: ChatRequest; route: Route }) {
    this.#core = core;
    this.#exchange = exchange;
    this.#chat = chat;
    this.#route = route;
    const { notices, keepAliveMs } = core.settings;
    const manner = notices === 'text' && chat.isStructured ? 'comment' : notices;
    const client = new ClientStream(exchange, { manner, keepAliveMs, model: chat.model });
    this.#client = client;
    this.#context = new TurnContext(core, {
      chat,
      route,
      client: textDigest(exchange.clientKey ?? ''),
      signal: exchange.signal,
      onNotice: (notice) => this.#showNotice(notice),
      // If the head has been sent, comments continue until the model answers, because processing a long prompt takes
      // time.
      onPrepared: () => {
        if (!client.hasBegun) client.stopKeepAlive();
      },
    });
    this.#lessons = new TurnLessons(core, this.#context);
    this.#streams = new AnswerStreams(core, exchange, {
      client,
      context: this.#context,
      lessons: this.#lessons,
      send: async () => (await this.#send()).answer,
      explain: (thrown, failed) => this.#explain(thrown, failed),
    });
  }

  /** @throws {LonghaulError} If no answer has begun. */
  async run(): Promise<void> {
    try {
      await this.#context.open();
      await this.#answer();
    } catch (thrown) {
      const error = this.#explain(thrown);
      doubtWindowAfter(this.#core, this.#route, error);
      if (!this.#client.hasBegun) throw thrown;
      if (!this.#exchange.signal.aborted) this.#core.noteError(error, this.#context.about);
      await this.#showLimitNotice(error);
      this.#client.fail(error);
    } finally {
      this.#client.stopKeepAlive();
    }
  }

  #showNotice(notice: ContextNotice): void {
    if (!this.#chat.stream) return;
    this.#client.startKeepAlive();
    void this.#client.notice(noticeOf(notice));
  }

  // ── Sending

  async #answer(): Promise<void> {
    for (;;) {
      const { answer, isUsageOurs } = await this.#send();
      const isStream = answer.statusCode === 200 && /event-stream/.test(answer.headers['content-type'] ?? '');
      const isDone = isStream
        ? await this.#streams.pass(answer, this.#relay(isUsageOurs))
        : await this.#passWhole(answer, isUsageOurs);
      if (isDone) return;
    }
  }

  #relay(isUsageOurs: boolean): StreamRelay {
    return new StreamRelay({
      client: this.#client,
      isUsageOurs,
      headers: contextHeaders(this.#context.prepared),
      explain: (thrown, failed) => this.#explain(thrown, failed),
    });
  }

  async #send(): Promise<{ answer: IncomingMessage; isUsageOurs: boolean }> {
    const { upstream, model, hasPrefix } = this.#route;
    const { method, path, headers, signal } = this.#exchange;
    const isChanged = this.#chat.hadNotices || this.#context.prepared?.isRewritten === true;
    const body = requestBody(this.#chat, {
      messages: isChanged ? (this.#context.prepared?.messages ?? this.#chat.messages) : undefined,
      model: hasPrefix ? model : undefined,
      asksForUsage: this.#core.settings.learnUsage && !upstream.refusesUsage,
      maxTokens: this.#context.limit.maxTokens,
    });
    const { bytes, without, isUsageOurs } = body;
    const free = await this.#context.enterWindow(() => this.#showWait());
    try {
      const answer = await upstream.send({ method, path, headers, body: bytes, without, signal });
      answer.once('close', free);
      return { answer, isUsageOurs };
    } catch (thrown) {
      free();
      throw thrown;
    }
  }

  #showWait(): void {
    if (this.#chat.stream) this.#client.startKeepAlive();
  }

  // ── Whole answers, including errors

  /** Returns false if the request must be sent again. */
  async #passWhole(answer: IncomingMessage, isUsageOurs: boolean): Promise<boolean> {
    const whole = await readWhole(answer, this.#core.settings.maxBodyBytes);
    if (whole.isFailure) return this.#passFailure(whole, isUsageOurs);
    if (whole.isHtml) throw this.#explain(undefined, { status: whole.status, body: whole.text });
    if (
      whole.usage !== undefined &&
      (await this.#lessons.learnFrom(whole.usage)) &&
      (await this.#context.compactAgain({}))
    ) {
      return false;
    }
    const full = await continueWhole(this.#core, whole, {
      form: CHAT_FORM,
      usageOf: (json) => observedUsage(json['usage']),
      context: this.#context,
      continuer: this.#streams.continuer,
    });
    this.#lessons.renewWindow();
    if (this.#client.hasBegun) this.#client.failWith(full.asErrorEvent());
    else sendWhole(this.#exchange.response, full, contextHeaders(this.#context.prepared));
    return true;
  }

  async #passFailure(whole: WholeAnswer, isUsageOurs: boolean): Promise<boolean> {
    const { upstream } = this.#route;
    if (isUsageOurs && /stream_options|include_usage/.test(whole.text)) {
      upstream.refusesUsage = true;
      return false;
    }
    const error = this.#explain(undefined, { status: whole.status, body: whole.text });
    if (await this.#lessons.canRetry(error)) return false;
    if (whole.isHtml) throw error;
    this.#core.noteError(error, this.#context.about);
    if (this.#client.hasBegun) this.#client.failWith(whole.asErrorEvent());
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#context.prepared));
    return true;
  }

  #explain(thrown: unknown, answer?: FailedAnswer): LonghaulError {
    return explainFailure({ route: this.#route, signal: this.#exchange.signal }, thrown, answer);
  }

  async #showLimitNotice(error: LonghaulError): Promise<void> {
    const { tokens, limit } = error.data;
    if (error.code !== 'context_exhausted' || typeof tokens !== 'number' || typeof limit !== 'number') return;
    await this.#client.notice(limitNotice(tokens, limit));
  }
}
