import type { IncomingMessage } from 'node:http';
import { type JsonObject, LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { ContextNotice, Prepared, PrepareOptions } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { COMPACTED, COMPACTING, limitNotice } from '../notices.ts';
import { windowSetting } from '../status/gateway-stats.ts';
import { measureByServer } from '../upstream/llamacpp-count.ts';
import type { Route } from '../upstream/router.ts';
import type { KnownWindow } from '../upstream/window-book.ts';
import { isRecord } from '../wire/is-record.ts';
import { ClientStream } from './client-stream.ts';
import { contextHeaders } from './context-headers.ts';
import type { ChatRequest } from './read-chat.ts';
import { requestBody } from './request-body.ts';
import { type RelayEnd, StreamRelay } from './stream-relay.ts';
import { readWhole, sendWhole, type WholeAnswer } from './whole-answer.ts';

/** Bodies below this fit into any window that a server loads. */
const SMALL_BODY_BYTES = 8_000;
/** Nothing has to be compacted for it. */
const UNKNOWN_WINDOW: KnownWindow = { windowTokens: 1e12, source: 'unknown' };

/** One chat request: prepared, sent, and its answer passed back, with what that takes. */
export class ChatTurn {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #chat: ChatRequest;
  readonly #route: Route;
  readonly #client: ClientStream;
  #prepared: Prepared | undefined;
  #hasRetried = false;
  /** Tokens that were written in streams before this one. */
  #writtenTokens = 0;

  constructor(core: GatewayCore, exchange: Exchange, { chat, route }: { chat: ChatRequest; route: Route }) {
    this.#core = core;
    this.#exchange = exchange;
    this.#chat = chat;
    this.#route = route;
    const { notices: manner, keepAliveMs } = core.settings;
    this.#client = new ClientStream(exchange, { manner, keepAliveMs, model: chat.model });
  }

  /** @throws {LonghaulError} Where no answer has begun. */
  async run(): Promise<void> {
    try {
      const window = await this.#window();
      if (window === undefined) this.#warnOfUnknownWindow();
      // It is counted all the same: only so is it noticed when the upstream reads less than it was sent.
      await this.#prepareOrPass(window ?? UNKNOWN_WINDOW);
      await this.#answer();
    } catch (thrown) {
      if (!this.#client.hasBegun) throw thrown;
      const error = this.#explain(thrown);
      if (!this.#exchange.signal.aborted) this.#core.noteError(error, this.#about);
      await this.#tellLimit(error);
      this.#client.fail(error);
    } finally {
      this.#client.stopKeepAlive();
    }
  }

  get #about(): { upstream: string; model: string } {
    return { upstream: this.#route.upstream.name, model: this.#route.model };
  }

  get #stats() {
    return this.#core.stats.of(this.#about.upstream, this.#about.model);
  }

  async #window(): Promise<KnownWindow | undefined> {
    const { upstream, model } = this.#route;
    const known = await this.#core.windows.windowOf(upstream, model);
    if (known !== undefined || this.#chat.plain.length < SMALL_BODY_BYTES) return known;
    return this.#core.windows.windowOnceLoaded(upstream, model, this.#exchange.signal);
  }

  // ── Preparing

  /** Messages of a shape that nobody here can count are the upstream's to judge. */
  async #prepareOrPass(window: KnownWindow): Promise<void> {
    try {
      await this.#prepare(window, {});
    } catch (thrown) {
      if (thrown instanceof LonghaulError || this.#exchange.signal.aborted) throw thrown;
      const message = `The request could not be counted, and passes as it is: ${toLonghaulError(thrown).message}`;
      this.#core.log({ level: 'warn', code: 'internal', message, ...this.#about });
    }
  }

  async #prepare(window: KnownWindow, options: Pick<PrepareOptions, 'refused'>): Promise<void> {
    const { upstream, model } = this.#route;
    const { messages, tools, maxTokens, chatId } = this.#chat;
    const { strictRoles } = upstream.settingsOf(model);
    const request = {
      model,
      windowTokens: window.windowTokens,
      messages,
      ...(tools === undefined ? {} : { tools }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(chatId === undefined ? {} : { chatId }),
      ...(strictRoles === undefined ? {} : { strictRoles }),
    };
    this.#noteFresh(
      await this.#core.contextOf(upstream).prepare(request, { ...this.#prepareOptions(window), ...options }),
    );
  }

  #prepareOptions(window: KnownWindow): PrepareOptions {
    const { upstream, model } = this.#route;
    return {
      signal: this.#exchange.signal,
      onNotice: (notice) => this.#tell(notice),
      ...(window.source.startsWith('llama.cpp')
        ? { measure: measureByServer(upstream, { model, apiKey: this.#core.keyFor(upstream) }) }
        : {}),
    };
  }

  #noteFresh(prepared: Prepared): void {
    this.#prepared = prepared;
    // Once the client has a head, it is kept company until the model speaks: a long prompt takes its time.
    if (!this.#client.hasBegun) this.#client.stopKeepAlive();
    for (const message of prepared.warnings) this.#core.log({ level: 'warn', message, ...this.#about });
    const stats = this.#stats;
    stats.lastTokens = prepared.estimatedTokens;
    const { compacted } = prepared;
    if (compacted === undefined) return;
    stats.compactedRequests += 1;
    stats.tokensSaved += Math.max(0, compacted.before - compacted.after);
    if (compacted.isFromCache) return;
    stats.compactions += 1;
    const message = `Compacted ${compacted.before} tokens to ${compacted.after} (round ${compacted.round}).`;
    this.#core.log({ level: 'info', message, ...this.#about });
  }

  #tell(notice: ContextNotice): void {
    if (!this.#chat.stream) return;
    this.#client.startKeepAlive();
    void this.#client.notice(notice.kind === 'compacting' ? COMPACTING : COMPACTED);
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
    const isChanged = this.#chat.hadNotices || this.#prepared?.isRewritten === true;
    const { maxTokens } = this.#chat;
    const body = requestBody(this.#chat, {
      messages: isChanged ? (this.#prepared?.messages ?? this.#chat.messages) : undefined,
      model: hasPrefix ? model : undefined,
      asksForUsage: this.#core.settings.learnUsage && !upstream.refusesUsage,
      maxTokens:
        this.#writtenTokens === 0 || maxTokens === undefined
          ? undefined
          : Math.max(1, maxTokens - this.#writtenTokens),
    });
    const answer = await upstream.send({
      method,
      path,
      headers,
      body: body.bytes,
      without: body.without,
      signal,
    });
    return { answer, isUsageOurs: body.isUsageOurs };
  }

  // ── Answers in one piece, errors among them

  /** False: the request is to be sent again, made smaller. */
  async #passWhole(answer: IncomingMessage, isUsageOurs: boolean): Promise<boolean> {
    const whole = await readWhole(answer, this.#core.settings.maxBodyBytes);
    if (whole.status >= 400) return this.#passFailure(whole, isUsageOurs);
    if (whole.isHtml) throw this.#explain(undefined, { status: whole.status, body: whole.text });
    if (
      whole.usage !== undefined &&
      (await this.#learnFromUsage(whole.usage)) &&
      (await this.#compactAgain({}))
    ) {
      return false;
    }
    this.#refreshUnknownWindow();
    if (this.#client.hasBegun) this.#client.failWith(whole.asErrorEvent());
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#prepared));
    return true;
  }

  async #passFailure(whole: WholeAnswer, isUsageOurs: boolean): Promise<boolean> {
    const { upstream } = this.#route;
    if (isUsageOurs && /stream_options|include_usage/.test(whole.text)) {
      upstream.refusesUsage = true;
      return false;
    }
    const error = this.#explain(undefined, { status: whole.status, body: whole.text });
    if (await this.#mayRetry(error)) return false;
    if (whole.isHtml) throw error;
    this.#core.noteError(error, this.#about);
    if (this.#client.hasBegun) this.#client.failWith(whole.asErrorEvent());
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#prepared));
    return true;
  }

  // ── Streams

  async #passStream(first: IncomingMessage, isUsageOurs: boolean): Promise<boolean> {
    const relay = new StreamRelay({
      client: this.#client,
      isUsageOurs,
      headers: contextHeaders(this.#prepared),
      explain: (thrown, answer) => this.#explain(thrown, answer),
    });
    for (let answer = first; ; ) {
      const watch = this.#prepared && this.#core.contextOf(this.#route.upstream).watchStream(this.#prepared);
      const end = await relay.relay(answer, watch);
      if (this.#exchange.signal.aborted) return true;
      if (end.kind === 'refused') return this.#passRefusal(end);
      if (end.kind === 'broken') throw end.error;
      if (end.kind === 'ended') return this.#endStream(relay);
      const outputTokens = watch?.outputTokens ?? 0;
      this.#writtenTokens += outputTokens;
      relay.continueAnswer({
        promptTokens: this.#prepared?.estimatedTokens ?? 0,
        completionTokens: outputTokens,
      });
      if (end.kind === 'over') return this.#endFull(relay);
      await this.#restart(end);
      ({ answer } = await this.#send());
      if (answer.statusCode !== 200) {
        const whole = await readWhole(answer, this.#core.settings.maxBodyBytes);
        throw this.#explain(undefined, { status: whole.status, body: whole.text });
      }
    }
  }

  async #passRefusal({ error, rest, answer }: Extract<RelayEnd, { kind: 'refused' }>): Promise<boolean> {
    this.#client.expectAnother();
    if (await this.#mayRetry(error)) return false;
    this.#core.noteError(error, this.#about);
    this.#client.begin(answer, { without: ['content-length', 'content-encoding'] });
    await this.#client.write(rest);
    this.#client.end();
    return true;
  }

  async #endStream(relay: StreamRelay): Promise<boolean> {
    this.#client.end();
    if (relay.hadError) {
      this.#core.noteError(new LonghaulError('provider_bad_response', ERROR_IN_STREAM), this.#about);
    }
    if (relay.usage !== undefined) await this.#learnFromUsage(relay.usage);
    this.#refreshUnknownWindow();
    return true;
  }

  /** The window is full, and the answer cannot be gone on with. */
  async #endFull(relay: StreamRelay): Promise<boolean> {
    const limit = this.#prepared?.request.windowTokens ?? 0;
    const tokens = (this.#prepared?.estimatedTokens ?? 0) + this.#writtenTokens;
    await this.#client.notice(limitNotice(tokens, limit));
    this.#core.noteError(
      new LonghaulError('context_exhausted', 'The window was full in the middle of an answer.'),
      this.#about,
    );
    await this.#client.finish('length', relay.usageForClient);
    return true;
  }

  async #restart({ soFar }: Extract<RelayEnd, { kind: 'stop' }>): Promise<void> {
    const { upstream, model } = this.#route;
    const window = this.#core.windows.known(upstream, model);
    if (this.#prepared === undefined || window === undefined) return;
    this.#stats.restarts += 1;
    this.#core.log({
      level: 'info',
      message: 'The window was nearly full in the middle of an answer: going on in a new request.',
      ...this.#about,
    });
    this.#noteFresh(
      await this.#core.contextOf(upstream).continueFrom(this.#prepared, soFar, this.#prepareOptions(window)),
    );
  }

  // ── Learning

  /** Whether the request was too long, is smaller now, and is to be sent again. */
  async #mayRetry(error: LonghaulError): Promise<boolean> {
    if (error.code !== 'context_overflow') return false;
    const { upstream, model } = this.#route;
    this.#stats.overflows += 1;
    const windowTokens = numberAt(error.data, 'windowTokens');
    if (windowTokens === undefined) await this.#core.windows.refresh(upstream, model);
    else await this.#core.windows.learn(upstream, model, { windowTokens, source: 'an overflow error' });
    if (this.#core.windows.known(upstream, model) === undefined) throw this.#windowNeeded(error);
    const requestTokens = numberAt(error.data, 'requestTokens');
    return this.#compactAgain({
      ...(windowTokens === undefined ? {} : { windowTokens }),
      ...(requestTokens === undefined ? {} : { requestTokens }),
    });
  }

  /** Once: what is refused twice is the upstream's own answer. */
  async #compactAgain(refused: NonNullable<PrepareOptions['refused']>): Promise<boolean> {
    const window = this.#core.windows.known(this.#route.upstream, this.#route.model);
    if (this.#hasRetried || window === undefined) return false;
    this.#hasRetried = true;
    try {
      await this.#prepare(window, { refused });
      return true;
    } catch (thrown) {
      const error = this.#explain(thrown);
      if (error.code === 'cancelled') throw error;
      // The upstream has said already what is wrong, in its own words.
      this.#core.log({ level: 'warn', code: error.code, message: error.message, ...this.#about });
      return false;
    }
  }

  /** Whether the upstream has read far less than it was sent. */
  async #learnFromUsage(usage: NonNullable<WholeAnswer['usage']>): Promise<boolean> {
    if (this.#prepared === undefined) return false;
    const { upstream, model } = this.#route;
    const observation = this.#core.contextOf(upstream).observe(this.#prepared, usage);
    if (observation.verdict === 'as-expected') return false;
    this.#stats.silentCuts += 1;
    const before = this.#core.windows.known(upstream, model)?.windowTokens;
    const after = (await this.#core.windows.refresh(upstream, model))?.windowTokens;
    const hasShrunk = before !== undefined && after !== undefined && after < before;
    const { windowTokens } = observation;
    if (!hasShrunk)
      await this.#core.windows.learn(upstream, model, {
        windowTokens,
        source: 'a prompt that was cut silently',
      });
    this.#core.log({
      level: 'warn',
      code: 'context_overflow',
      message: `The upstream read ${usage.promptTokens} tokens of some ${this.#prepared.estimatedTokens}: it left out the beginning and did not say so. Its window seems to be ${hasShrunk ? after : windowTokens}.`,
      ...this.#about,
    });
    return true;
  }

  /** A model that was loaded by this very request reports its window now. */
  #refreshUnknownWindow(): void {
    if (this.#prepared?.request.windowTokens !== UNKNOWN_WINDOW.windowTokens) return;
    this.#core.windows.renew(this.#route.upstream, this.#route.model);
  }

  // ── Saying what is wrong

  #explain(thrown: unknown, answer: { status?: number; body?: string } = {}): LonghaulError {
    if (thrown instanceof LonghaulError) return thrown;
    if (this.#exchange.signal.aborted) return new LonghaulError('cancelled', 'The client went away.');
    return this.#route.upstream.explain(thrown, { model: this.#route.model }, answer);
  }

  async #tellLimit(error: LonghaulError): Promise<void> {
    const { tokens, limit } = error.data;
    if (error.code !== 'context_exhausted' || typeof tokens !== 'number' || typeof limit !== 'number') return;
    await this.#client.notice(limitNotice(tokens, limit));
  }

  #warnOfUnknownWindow(): void {
    const { upstream, model } = this.#about;
    const stats = this.#stats;
    if (stats.requests > 1) return;
    const message = `The window of ${model} at ${upstream} is unknown, so its requests pass as they are. Set ${windowSetting(upstream, model)}.`;
    this.#core.log({ level: 'warn', code: 'window_unknown', message, ...this.#about });
  }

  #windowNeeded(cause: LonghaulError): LonghaulError {
    const { upstream, model } = this.#about;
    return new LonghaulError(
      'window_unknown',
      `This conversation is too long for ${model} at ${upstream} and has to be compacted, but its window is unknown: the server does not report it. Set ${windowSetting(upstream, model)} in longhaul.yml. ${cause.message}`,
      { cause },
    );
  }
}

const ERROR_IN_STREAM = 'The upstream sent an error in the middle of its answer.';

function numberAt(data: JsonObject, key: string): number | undefined {
  const value = isRecord(data) ? data[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}
