import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';
import { textDigest } from '../compaction/conversation/message-digest.ts';
import type { AnswerSoFar, ContextNotice } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { limitNotice, noticeOf } from '../notices.ts';
import type { Route } from '../upstream/router.ts';
import { ClientStream } from './client-stream.ts';
import { contextHeaders } from './context-headers.ts';
import type { ChatRequest } from './read-chat.ts';
import { requestBody } from './request-body.ts';
import { type RelayEnd, StreamRelay } from './stream-relay.ts';
import { TurnContext } from './turn-context.ts';
import { readWhole, sendWhole, type WholeAnswer } from './whole-answer.ts';

/** Handles one chat request: prepares and sends it, retries or continues it if needed, and passes the answer on. */
export class ChatTurn {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #chat: ChatRequest;
  readonly #route: Route;
  readonly #client: ClientStream;
  readonly #context: TurnContext;
  /** Tokens that the previous streams of this answer have written. */
  #writtenTokens = 0;

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
  }

  /** @throws {LonghaulError} If no answer has begun. */
  async run(): Promise<void> {
    try {
      await this.#context.open();
      await this.#answer();
    } catch (thrown) {
      const error = this.#explain(thrown);
      if (SERVER_GONE.has(error.code)) this.#core.windows.doubt(this.#route.upstream);
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
        ? await this.#passStream(answer, isUsageOurs)
        : await this.#passWhole(answer, isUsageOurs);
      if (isDone) return;
    }
  }

  async #send(): Promise<{ answer: IncomingMessage; isUsageOurs: boolean }> {
    const { upstream, model, hasPrefix } = this.#route;
    const { method, path, headers, signal } = this.#exchange;
    const isChanged = this.#chat.hadNotices || this.#context.prepared?.isRewritten === true;
    const body = requestBody(this.#chat, {
      messages: isChanged ? (this.#context.prepared?.messages ?? this.#chat.messages) : undefined,
      model: hasPrefix ? model : undefined,
      asksForUsage: this.#core.settings.learnUsage && !upstream.refusesUsage,
      maxTokens: this.#context.maxTokensAfter(this.#writtenTokens),
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
      (await this.#context.learnFrom(whole.usage)) &&
      (await this.#context.compactAgain({}))
    ) {
      return false;
    }
    this.#context.renewWindow();
    if (this.#client.hasBegun) this.#client.failWith(whole.asErrorEvent());
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#context.prepared));
    return true;
  }

  async #passFailure(whole: WholeAnswer, isUsageOurs: boolean): Promise<boolean> {
    const { upstream } = this.#route;
    if (isUsageOurs && /stream_options|include_usage/.test(whole.text)) {
      upstream.refusesUsage = true;
      return false;
    }
    const error = this.#explain(undefined, { status: whole.status, body: whole.text });
    if (await this.#context.canRetry(error)) return false;
    if (whole.isHtml) throw error;
    this.#core.noteError(error, this.#context.about);
    if (this.#client.hasBegun) this.#client.failWith(whole.asErrorEvent());
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#context.prepared));
    return true;
  }

  // ── Streams

  async #passStream(first: IncomingMessage, isUsageOurs: boolean): Promise<boolean> {
    const relay = new StreamRelay({
      client: this.#client,
      isUsageOurs,
      headers: contextHeaders(this.#context.prepared),
      explain: (thrown, answer) => this.#explain(thrown, answer),
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
        answer = await this.#continue(soFar, end.error);
        continue;
      }
      const outputTokens = watch?.outputTokens ?? 0;
      const promptTokens = relay.usage?.promptTokens ?? this.#context.prepared?.estimatedTokens ?? 0;
      this.#writtenTokens += outputTokens;
      relay.continueAnswer({ promptTokens, completionTokens: outputTokens });
      const usedTokens = promptTokens + outputTokens;
      if (end.kind === 'over') return this.#endFull(relay, { usedTokens, reason: WINDOW_FULL });
      soFar = end.soFar;
      const next = await this.#continueOrEnd(soFar, end.error);
      if (next instanceof LonghaulError) return this.#endFull(relay, { usedTokens, reason: next.message });
      answer = next;
    }
  }

  /** Returns the error if no room is left to continue, so that the answer ends as one that has filled its window. */
  async #continueOrEnd(
    soFar: AnswerSoFar,
    refusal: LonghaulError | undefined,
  ): Promise<IncomingMessage | LonghaulError> {
    try {
      return await this.#continue(soFar, refusal);
    } catch (thrown) {
      if (thrown instanceof LonghaulError && thrown.code === 'context_exhausted') return thrown;
      throw thrown;
    }
  }

  /**
   * Requests the rest of an answer. If the upstream refuses that as too long, learns from the refusal and retries. Each
   * attempt counts as a restart.
   *
   * @throws {LonghaulError} `context_exhausted` after the last restart; the upstream's error otherwise.
   */
  async #continue(soFar: AnswerSoFar, refusal?: LonghaulError): Promise<IncomingMessage> {
    for (let error = refusal; ; ) {
      if (error !== undefined && !(await this.#context.learnOverflow(error))) throw error;
      await this.#context.continueAnswer(soFar);
      const { answer } = await this.#send();
      if (answer.statusCode === 200) return answer;
      const whole = await readWhole(answer, this.#core.settings.maxBodyBytes);
      error = this.#explain(undefined, { status: whole.status, body: whole.text });
    }
  }

  async #passRefusal({ error, rest, answer }: Extract<RelayEnd, { kind: 'refused' }>): Promise<boolean> {
    this.#client.expectAnother();
    if (await this.#context.canRetry(error)) return false;
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
    if (relay.usage !== undefined) await this.#context.learnFrom(relay.usage);
    this.#context.renewWindow();
    return true;
  }

  /** Ends an answer that has filled the window and cannot be continued. */
  async #endFull(relay: StreamRelay, { usedTokens, reason }: FullWindow): Promise<boolean> {
    await this.#client.notice(limitNotice(usedTokens, this.#context.prepared?.request.windowTokens ?? 0));
    this.#core.noteError(new LonghaulError('context_exhausted', reason), this.#context.about);
    await this.#client.finish('length', relay.usageForClient);
    return true;
  }

  #explain(thrown: unknown, answer: { status?: number; body?: string } = {}): LonghaulError {
    if (thrown instanceof LonghaulError) return thrown;
    if (this.#exchange.signal.aborted) return new LonghaulError('cancelled', 'The client disconnected.');
    return this.#route.upstream.explain(thrown, { model: this.#route.model }, answer);
  }

  async #showLimitNotice(error: LonghaulError): Promise<void> {
    const { tokens, limit } = error.data;
    if (error.code !== 'context_exhausted' || typeof tokens !== 'number' || typeof limit !== 'number') return;
    await this.#client.notice(limitNotice(tokens, limit));
  }
}

interface FullWindow {
  /** Tokens of the last request and its answer. */
  usedTokens: number;
  reason: string;
}

const WINDOW_FULL = 'The window became full in the middle of an answer.';

/** Codes that mean the server has stopped or is restarting. */
const SERVER_GONE: ReadonlySet<LonghaulError['code']> = new Set([
  'provider_unreachable',
  'provider_stream_cut',
]);

const ERROR_IN_STREAM = 'The upstream sent an error in the middle of its answer.';
