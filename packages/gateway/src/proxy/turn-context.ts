import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
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
import type { ChatRequest } from './read-chat.ts';

/** Bodies below this fit into any window that a server loads. */
const SMALL_BODY_BYTES = 8_000;
/** Share of the window from which on it is asked for after each answer. */
const NEAR = 0.4;
/** Share of the window that the server reports from which on a prompt may have been cut. */
const CUT_FROM = 0.7;
/** Nothing has to be compacted for it. */
const UNKNOWN_WINDOW: KnownWindow = { windowTokens: 1e12, source: 'unknown' };

export interface TurnContextOptions {
  chat: ChatRequest;
  route: Route;
  /** A hash of the key that the client brought. */
  client: string;
  signal: AbortSignal;
  onNotice: (notice: ContextNotice) => void;
  /** Told of everything that is prepared, before it is sent. */
  onPrepared: () => void;
}

/** What one request may hold, and what its upstream's answers teach about that. */
export class TurnContext {
  readonly #core: GatewayCore;
  readonly #options: TurnContextOptions;
  #prepared: Prepared | undefined;
  #hasRetried = false;

  constructor(core: GatewayCore, options: TurnContextOptions) {
    this.#core = core;
    this.#options = options;
  }

  /** Undefined where the messages could not be counted: they pass as they are. */
  get prepared(): Prepared | undefined {
    return this.#prepared;
  }

  get about(): { upstream: string; model: string } {
    return { upstream: this.#route.upstream.name, model: this.#route.model };
  }

  /** @throws {LonghaulError} `context_exhausted`, `cancelled` and what else `ConversationContext.prepare` throws. */
  async open(): Promise<void> {
    const window = await this.#window();
    if (window === undefined) this.#warnOfUnknownWindow();
    // It is counted all the same: only so is it noticed when the upstream reads less than it was sent.
    await this.#prepareOrPass(window ?? UNKNOWN_WINDOW);
  }

  watchStream(): StreamWatch | undefined {
    // Where several answers are written, no sum says how full the window is.
    if (this.#options.chat.isMultiple) return undefined;
    return this.#prepared && this.#core.contextOf(this.#route.upstream).watchStream(this.#prepared);
  }

  /** Makes the request that goes on with an answer whose stream was stopped. */
  async goOn(soFar: AnswerSoFar): Promise<void> {
    const { upstream, model } = this.#route;
    const window = this.#core.windows.known(upstream, model);
    if (this.#prepared === undefined || window === undefined) return;
    this.#stats.restarts += 1;
    const message = 'The window was nearly full in the middle of an answer: going on in a new request.';
    this.#log({ level: 'info', message });
    const context = this.#core.contextOf(upstream);
    // The window may be known better than when the request was prepared.
    const request = { ...this.#prepared.request, windowTokens: window.windowTokens };
    const current = { ...this.#prepared, request };
    this.#noteFresh(await context.continueFrom(current, soFar, this.#prepareOptions(window)));
  }

  /** Whether the request was too long, is smaller now, and is to be sent again. */
  async canRetry(error: LonghaulError): Promise<boolean> {
    const { upstream, model } = this.#route;
    // Whatever went wrong there, the model may be loaded otherwise now.
    if (this.#core.windows.known(upstream, model) === undefined) this.#core.windows.doubt(upstream);
    else this.#core.windows.renew(upstream, model);
    if (!(await this.learnOverflow(error))) return false;
    if (this.#core.windows.known(upstream, model) === undefined) throw this.#windowNeeded(error);
    const { windowTokens, requestTokens } = sizesIn(error);
    return this.compactAgain({
      windowTokens,
      requestTokens,
    });
  }

  /** Whether it was a refusal as too long. What it says of the window holds from now on. */
  async learnOverflow(error: LonghaulError): Promise<boolean> {
    if (error.code !== 'context_overflow') return false;
    const { upstream, model } = this.#route;
    this.#stats.overflows += 1;
    const { windowTokens } = sizesIn(error);
    if (windowTokens === undefined) await this.#core.windows.refresh(upstream, model);
    else await this.#core.windows.learn(upstream, model, { windowTokens, source: 'an overflow error' });
    return true;
  }

  /** Once: what is refused twice is the upstream's own answer. */
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
      // The upstream has said already what is wrong, in its own words.
      this.#log({ level: 'warn', code: error.code, message: error.message });
      return false;
    }
  }

  /** Whether the upstream has read far less than it was sent. */
  async learnFrom(usage: ObservedUsage): Promise<boolean> {
    if (this.#prepared === undefined) return false;
    const { upstream, model } = this.#route;
    const observation = this.#core.contextOf(upstream).observe(this.#prepared, usage);
    if (observation.verdict === 'as-expected') return false;
    const { estimatedTokens } = this.#prepared;
    const known = (await this.#core.windows.refresh(upstream, model))?.windowTokens;
    // Nothing is cut where there is room: the server counts otherwise.
    const reported = this.#core.windows.reported(upstream, model);
    if (reported !== undefined && estimatedTokens < reported * CUT_FROM) return false;
    this.#stats.silentCuts += 1;
    // What the server says now may explain it: it has loaded the model anew, or only just.
    const isExplained = known !== undefined && known < estimatedTokens;
    const windowTokens = isExplained ? known : observation.windowTokens;
    const source = 'a prompt that was cut silently';
    if (!isExplained) await this.#core.windows.learn(upstream, model, { windowTokens, source });
    this.#log({
      level: 'warn',
      code: 'context_overflow',
      message: `The upstream read ${usage.promptTokens} tokens of some ${estimatedTokens}: it left out the beginning and did not say so. Its window seems to be ${windowTokens}.`,
    });
    return true;
  }

  /** A model that was loaded by this very request reports its window now; and where the next request may be compacted, the window should be the newest. */
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
    const known = await this.#core.windows.windowOf(upstream, model);
    if (known !== undefined || this.#options.chat.plain.length < SMALL_BODY_BYTES) return known;
    return this.#core.windows.windowOnceLoaded(upstream, model, this.#options.signal);
  }

  /** Messages of a shape that nobody here can count are the upstream's to judge. */
  async #prepareOrPass(window: KnownWindow): Promise<void> {
    try {
      await this.#prepare(window, {});
    } catch (thrown) {
      if (thrown instanceof LonghaulError || this.#options.signal.aborted) throw thrown;
      const message = `The request could not be counted, and passes as it is: ${toLonghaulError(thrown).message}`;
      this.#log({ level: 'warn', code: 'internal', message });
    }
  }

  async #prepare(window: KnownWindow, options: Pick<PrepareOptions, 'refused'>): Promise<void> {
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
      ...(options.refused === undefined ? { windowNow } : options),
    });
    this.#noteFresh(prepared);
  }

  #prepareOptions(window: KnownWindow): PrepareOptions {
    const { upstream, model } = this.#route;
    return {
      signal: this.#options.signal,
      onNotice: this.#options.onNotice,
      ...(window.source.startsWith('llama.cpp')
        ? { measure: measureByServer(upstream, { model, apiKey: this.#core.keyFor(upstream) }) }
        : {}),
    };
  }

  #noteFresh(prepared: Prepared): void {
    this.#prepared = prepared;
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

  /** With the chat that it is about, where a front-end names it: several may be under way at one model. */
  #log(entry: Pick<LogEntry, 'level' | 'message' | 'code'>): void {
    const { chatId: chat } = this.#options.chat;
    this.#core.log({ ...entry, ...this.about, ...(chat === undefined ? {} : { chat }) });
  }

  #warnOfUnknownWindow(): void {
    const { upstream, model } = this.about;
    const stats = this.#stats;
    if (stats.requests > 1) return;
    const message = `The window of ${model} at ${upstream} is unknown, so its requests pass as they are. Set ${windowSetting(upstream, model)}.`;
    this.#log({ level: 'warn', code: 'window_unknown', message });
  }

  #windowNeeded(cause: LonghaulError): LonghaulError {
    const { upstream, model } = this.about;
    return new LonghaulError(
      'window_unknown',
      `This conversation is too long for ${model} at ${upstream} and has to be compacted, but its window is unknown: the server does not report it. Set ${windowSetting(upstream, model)} in longhaul.yml. ${cause.message}`,
      { cause },
    );
  }
}

function sizesIn({ data }: LonghaulError): { windowTokens?: number; requestTokens?: number } {
  const { windowTokens, requestTokens } = data;
  return {
    ...(typeof windowTokens === 'number' ? { windowTokens } : {}),
    ...(typeof requestTokens === 'number' ? { requestTokens } : {}),
  };
}
