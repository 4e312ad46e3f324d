import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { answerRoom, minAnswerRoom } from '../compaction/output-room.ts';
import type {
  AnswerSoFar,
  ContextNotice,
  ObservedUsage,
  Prepared,
  PrepareOptions,
  StreamWatch,
} from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { LogEntry } from '../options.ts';
import { windowSetting } from '../status/gateway-stats.ts';
import { measureByServer } from '../upstream/llamacpp-count.ts';
import type { Route } from '../upstream/router.ts';
import type { KnownWindow } from '../upstream/window-book.ts';
import { AnswerLimit } from './answer-limit.ts';
import type { ChatRequest } from './read-chat.ts';

/** Smaller bodies fit into any window that a server loads. */
const SMALL_BODY_BYTES = 8_000;
/** From this share of the window on, the window is queried again after each answer. */
const NEAR = 0.4;
/** Below this share of the reported window, no prompt can have been cut. */
const CUT_FROM = 0.7;
/** So large that nothing is ever compacted. */
const UNKNOWN_WINDOW: KnownWindow = { windowTokens: 1e12, source: 'unknown' };

/** The parts of a request that its preparation uses. */
export type TurnRequest = Pick<
  ChatRequest,
  'plain' | 'messages' | 'tools' | 'maxTokens' | 'chatId' | 'isMultiple'
> & { windowTokens?: number | undefined };

export interface TurnContextOptions {
  chat: TurnRequest;
  route: Route;
  /** A hash of the client's key. */
  client: string;
  signal: AbortSignal;
  onNotice: (notice: ContextNotice) => void;
  /** Called after each preparation, before the request is sent. */
  onPrepared: () => void;
}

/** Prepares one request for its window, and learns about the window from the upstream's answers. */
export class TurnContext {
  readonly #core: GatewayCore;
  readonly #options: TurnContextOptions;
  #prepared: Prepared | undefined;
  #hasRetried = false;
  readonly #answer: AnswerLimit;
  /** The request was refused because others took the room. It is sent when no other is running. */
  #isAlone = false;

  constructor(core: GatewayCore, options: TurnContextOptions) {
    this.#core = core;
    this.#options = options;
    this.#answer = new AnswerLimit({
      upstream: options.route.upstream,
      wantedTokens: options.chat.maxTokens,
      warn: (message) => this.#log({ level: 'warn', code: 'context_overflow', message }),
    });
  }

  /** Undefined if the messages could not be counted. They are then sent unchanged. */
  get prepared(): Prepared | undefined {
    return this.#prepared;
  }

  /** Returns the longest answer to request; undefined if the client's own value is sent unchanged. */
  maxTokensAfter(writtenTokens: number): number | undefined {
    return this.#answer.after(writtenTokens);
  }

  /** Waits for room in a window that the slots of the server share. Returns the function that frees it. */
  enterWindow(onWait: () => void): Promise<() => void> {
    const { estimatedTokens = 0, request } = this.#prepared ?? {};
    const room = answerRoom(estimatedTokens, request?.windowTokens ?? 0);
    const answerTokens = Math.min(this.#answer.after(0) ?? this.#options.chat.maxTokens ?? room, room);
    return this.#core.sharedWindows.enter({
      ...this.#route,
      tokens: estimatedTokens + answerTokens,
      isAlone: this.#isAlone,
      signal: this.#options.signal,
      onWait: () => {
        const message = 'Waiting for other requests: the slots of the server share one window.';
        this.#log({ level: 'info', message });
        onWait();
      },
    });
  }

  get about(): { upstream: string; model: string } {
    return { upstream: this.#route.upstream.name, model: this.#route.model };
  }

  /**
   * Prepares the request.
   *
   * @throws {LonghaulError} As `ConversationContext.prepare`: `context_exhausted`, `cancelled`, `invalid_request`.
   */
  async open(): Promise<void> {
    const window = await this.#window();
    if (window === undefined) this.#warnOfUnknownWindow();
    // An unknown window does not prevent counting: the count shows whether the upstream reads fewer tokens than were
    // sent.
    await this.#prepareOrPass(window ?? UNKNOWN_WINDOW);
  }

  watchStream(): StreamWatch | undefined {
    // Several answers each have a window of their own.
    if (this.#options.chat.isMultiple) return undefined;
    return this.#prepared && this.#core.contextOf(this.#route.upstream).watchStream(this.#prepared);
  }

  /** Prepares the request that continues an answer whose stream was stopped. */
  async continueAnswer(soFar: AnswerSoFar): Promise<void> {
    const { upstream, model } = this.#route;
    const window = await this.#core.windows.windowNow(upstream, model);
    if (this.#prepared === undefined || window === undefined) return;
    this.#stats.restarts += 1;
    const message = 'The window was nearly full in the middle of an answer. Continuing it in a new request.';
    this.#log({ level: 'info', message });
    const context = this.#core.contextOf(upstream);
    // The window may be known better than when the request was prepared.
    const request = { ...this.#prepared.request, windowTokens: window.windowTokens };
    const current = { ...this.#prepared, request };
    this.#noteFresh(await context.continueFrom(current, soFar, this.#prepareOptions(window)));
  }

  /** Whether the request was refused as too long, and it or its answer is smaller now, so that it can be sent again. */
  async canRetry(error: LonghaulError): Promise<boolean> {
    const { upstream, model } = this.#route;
    // After any error the model may have been reloaded with another window.
    if (this.#core.windows.known(upstream, model) === undefined) this.#core.windows.doubt(upstream);
    else this.#core.windows.renew(upstream, model);
    const wasAlone = this.#isAlone;
    if (!(await this.learnOverflow(error))) return false;
    const window = this.#core.windows.known(upstream, model);
    if (window === undefined) throw this.#windowNeeded(error);
    if (this.#isAlone && !wasAlone) return true;
    const { windowTokens, requestTokens } = sizesIn(error);
    const promptTokens = requestTokens ?? this.#prepared?.estimatedTokens ?? Number.POSITIVE_INFINITY;
    const hasSizes = windowTokens !== undefined || requestTokens !== undefined;
    if (this.#answer[hasSizes ? 'lower' : 'shorten']({ window, promptTokens })) return true;
    return this.compactAgain({ windowTokens, requestTokens });
  }

  /** After a refusal without sizes of a request that fits, by a server with several slots: others take the room. */
  #noteFullWindow(): void {
    const { upstream, model } = this.#route;
    const { windowTokens } = this.#core.windows.known(upstream, model) ?? {};
    const { estimatedTokens } = this.#prepared ?? {};
    if (this.#isAlone || windowTokens === undefined || estimatedTokens === undefined) return;
    if (!this.#core.sharedWindows.mayBeFull(upstream, model)) return;
    if (estimatedTokens + minAnswerRoom(windowTokens) > windowTokens) return;
    upstream.sharesWindow = true;
    this.#isAlone = true;
    const message =
      'Other requests took the room of this one in the window that the slots of the server share. Repeating it when they have ended.';
    this.#log({ level: 'warn', code: 'context_overflow', message });
  }

  /** Learns the window from an error. Returns whether the error was a refusal as too long. */
  async learnOverflow(error: LonghaulError): Promise<boolean> {
    if (error.code !== 'context_overflow') return false;
    const { upstream, model } = this.#route;
    this.#stats.overflows += 1;
    const { windowTokens, requestTokens } = sizesIn(error);
    if (windowTokens === undefined && requestTokens === undefined) this.#noteFullWindow();
    if (windowTokens === undefined) await this.#core.windows.refresh(upstream, model);
    else await this.#core.windows.learn(upstream, model, { windowTokens, source: 'an overflow error' });
    return true;
  }

  /**
   * Compacts a refused request and returns whether that succeeded. Only once: a second refusal is passed on to the
   * client.
   */
  async compactAgain(refused: NonNullable<PrepareOptions['refused']>): Promise<boolean> {
    const window = this.#core.windows.known(this.#route.upstream, this.#route.model);
    if (this.#hasRetried || window === undefined) return false;
    this.#hasRetried = true;
    try {
      await this.#prepare(window, { refused });
      return true;
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      if (error.code === 'cancelled' || this.#options.signal.aborted) throw error;
      // The client gets the upstream's own error.
      this.#log({ level: 'warn', code: error.code, message: error.message });
      return false;
    }
  }

  /** Learns from reported usage. Returns whether the upstream has silently cut the prompt. */
  async learnFrom(usage: ObservedUsage): Promise<boolean> {
    if (this.#prepared === undefined) return false;
    const { upstream, model } = this.#route;
    const observation = this.#core.contextOf(upstream).observe(this.#prepared, usage);
    if (observation.verdict === 'as-expected') return false;
    const { estimatedTokens } = this.#prepared;
    const known = (await this.#core.windows.refresh(upstream, model))?.windowTokens;
    // With room in the window nothing is cut, so the server counts tokens differently.
    const reported = this.#core.windows.reported(upstream, model);
    if (reported !== undefined && estimatedTokens < reported * CUT_FROM) return false;
    this.#stats.silentCuts += 1;
    // A new report may explain it: the model has been loaded or reloaded since.
    const isExplained = known !== undefined && known < estimatedTokens;
    const windowTokens = isExplained ? known : observation.windowTokens;
    const source = 'a prompt that was cut silently';
    if (!isExplained) await this.#core.windows.learn(upstream, model, { windowTokens, source });
    this.#log({
      level: 'warn',
      code: 'context_overflow',
      message: `The upstream read only ${usage.promptTokens} of about ${estimatedTokens} tokens: it dropped the beginning without an error. Its window seems to be ${windowTokens} tokens.`,
    });
    return true;
  }

  /**
   * Queries the window in the background after an answer: if it is unknown, since this request may have loaded the
   * model, and if the next request may need compaction.
   */
  renewWindow(): void {
    if (this.#prepared === undefined) return;
    const { estimatedTokens, request } = this.#prepared;
    const isUnknown = request.windowTokens === UNKNOWN_WINDOW.windowTokens;
    if (!isUnknown && estimatedTokens < request.windowTokens * NEAR) return;
    this.#core.windows.renew(this.#route.upstream, this.#route.model);
  }

  get #route(): Route {
    return this.#options.route;
  }

  get #stats() {
    return this.#core.stats.of(this.about.upstream, this.about.model);
  }

  async #window(): Promise<KnownWindow | undefined> {
    const { upstream, model } = this.#route;
    const { windowTokens } = this.#options.chat;
    // Ollama loads the model with the window of the request.
    if (windowTokens !== undefined) return { windowTokens, source: 'the request' };
    const known = await this.#core.windows.windowOf(upstream, model);
    if (known !== undefined || this.#options.chat.plain.length < SMALL_BODY_BYTES) return known;
    return this.#core.windows.windowOnceLoaded(upstream, model, this.#options.signal);
  }

  /** Prepares the request. If the messages cannot be counted, the request is sent unchanged. */
  async #prepareOrPass(window: KnownWindow): Promise<void> {
    try {
      await this.#prepare(window, {});
    } catch (thrown) {
      if (thrown instanceof LonghaulError || this.#options.signal.aborted) throw thrown;
      const message = `The request could not be counted and is sent unchanged: ${toLonghaulError(thrown).message}`;
      this.#log({ level: 'warn', code: 'internal', message });
    }
  }

  async #prepare(window: KnownWindow, { refused }: Pick<PrepareOptions, 'refused'>): Promise<void> {
    const { upstream, model } = this.#route;
    const { messages, tools, maxTokens, chatId } = this.#options.chat;
    const { strictRoles } = upstream.settingsOf(model);
    const request = {
      model,
      windowTokens: window.windowTokens,
      messages,
      client: this.#options.client,
      tools,
      maxTokens,
      chatId,
      strictRoles,
    };
    const windowNow = async () => (await this.#core.windows.windowNow(upstream, model))?.windowTokens;
    const prepared = await this.#core.contextOf(upstream).prepare(request, {
      ...this.#prepareOptions(window),
      refused,
      windowNow: refused === undefined ? windowNow : undefined,
    });
    this.#noteFresh(prepared);
  }

  #prepareOptions(window: KnownWindow): PrepareOptions {
    const { upstream, model } = this.#route;
    return {
      signal: this.#options.signal,
      onNotice: this.#options.onNotice,
      measure: window.source.startsWith('llama.cpp')
        ? measureByServer(upstream, { model, apiKey: this.#core.keyFor(upstream) })
        : undefined,
    };
  }

  #noteFresh(prepared: Prepared): void {
    this.#prepared = prepared;
    const window = this.#core.windows.known(this.#route.upstream, this.#route.model);
    this.#answer.fit({ window, promptTokens: prepared.estimatedTokens });
    this.#options.onPrepared();
    for (const message of prepared.warnings) this.#log({ level: 'warn', message });
    const stats = this.#stats;
    stats.lastTokens = prepared.estimatedTokens;
    const { compacted } = prepared;
    if (compacted === undefined) return;
    stats.compactedRequests += 1;
    stats.tokensSaved += Math.max(0, compacted.before - compacted.after);
    if (compacted.isFromCache) return;
    stats.compactions += 1;
    const message = `Compacted ${compacted.before} tokens to ${compacted.after} (round ${compacted.round}).`;
    this.#log({ level: 'info', message });
  }

  /** Includes the chat's id, if there is one, since one model may serve several chats at once. */
  #log(entry: Pick<LogEntry, 'level' | 'message' | 'code'>): void {
    this.#core.log({ ...entry, ...this.about, chat: this.#options.chat.chatId });
  }

  #warnOfUnknownWindow(): void {
    const { upstream, model } = this.about;
    const stats = this.#stats;
    if (stats.requests > 1) return;
    const message = `The window of ${model} at ${upstream} is unknown, so its requests are sent unchanged. Set ${windowSetting(upstream, model)}.`;
    this.#log({ level: 'warn', code: 'window_unknown', message });
  }

  #windowNeeded(cause: LonghaulError): LonghaulError {
    const { upstream, model } = this.about;
    return new LonghaulError(
      'window_unknown',
      `This conversation is too long for ${model} at ${upstream} and must be compacted, but the window is unknown: the server does not report it. Set ${windowSetting(upstream, model)} in longhaul.yml. ${cause.message}`,
      { cause },
    );
  }
}

function sizesIn({ data }: LonghaulError): { windowTokens?: number; requestTokens?: number } {
  const { windowTokens, requestTokens } = data;
  return {
    windowTokens: typeof windowTokens === 'number' ? windowTokens : undefined,
    requestTokens: typeof requestTokens === 'number' ? requestTokens : undefined,
  };
}
