import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { answerRoom } from '../compaction/output-room.ts';
import type {
  AnswerSoFar,
  ConversationContext,
  Prepared,
  PrepareOptions,
  StreamWatch,
} from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { LogEntry } from '../options.ts';
import { measureByServer } from '../upstream/llamacpp-count.ts';
import type { Route } from '../upstream/router.ts';
import { UNKNOWN_WINDOW } from '../upstream/unknown-window.ts';
import type { KnownWindow } from '../upstream/window-book.ts';
import { AnswerLimit } from './answer-limit.ts';
import { notePrepared } from './note-prepared.ts';
import type { TurnContextOptions } from './turn-request.ts';
import { unknownWindowWarning, windowAskedFor, windowForTurn } from './turn-window.ts';

/** Prepares one request for its window. */
export class TurnContext {
  readonly #core: GatewayCore;
  readonly #options: TurnContextOptions;
  /** With the settings at the time of the request: they can change while it runs. */
  readonly conversations: ConversationContext;
  /** The longest answer to request. */
  readonly limit: AnswerLimit;
  #prepared: Prepared | undefined;
  #hasRetried = false;
  /** The request was refused because others took the room. It is sent when no other is running. */
  isAlone = false;

  constructor(core: GatewayCore, options: TurnContextOptions) {
    this.#core = core;
    this.#options = options;
    this.conversations = core.contextOf(options.route.upstream);
    this.limit = new AnswerLimit({
      upstream: options.route.upstream,
      wantedTokens: options.chat.maxTokens,
      warn: (message) => this.log({ level: 'warn', code: 'context_overflow', message }),
    });
  }

  /** Undefined if the messages could not be counted. They are then sent unchanged. */
  get prepared(): Prepared | undefined {
    return this.#prepared;
  }

  /** Waits for room in a window that the slots of the server share. Returns the function that frees it. */
  enterWindow(onWait: () => void): Promise<() => void> {
    const { estimatedTokens = 0, request } = this.#prepared ?? {};
    const room = answerRoom(estimatedTokens, request?.windowTokens ?? 0);
    const answerTokens = Math.min(this.limit.maxTokens ?? this.#options.chat.maxTokens ?? room, room);
    return this.#core.sharedWindows.enter({
      ...this.route,
      tokens: estimatedTokens + answerTokens,
      isAlone: this.isAlone,
      signal: this.#options.signal,
      onWait: () => {
        const message = 'Waiting for other requests: the slots of the server share one window.';
        this.log({ level: 'info', message });
        onWait();
      },
    });
  }

  get about(): { upstream: string; model: string } {
    return { upstream: this.route.upstream.name, model: this.route.model };
  }

  /**
   * Prepares the request.
   *
   * @throws {LonghaulError} As `ConversationContext.prepare`: `context_exhausted`, `cancelled`, `invalid_request`;
   * `window_unknown` if the upstream requires compaction.
   */
  async open(): Promise<void> {
    const window = await windowForTurn(this.#core, this.#options);
    // Warns once for each model.
    if (window === undefined && this.stats.requests === 1)
      this.log({ level: 'warn', code: 'window_unknown', message: unknownWindowWarning(this.about) });
    // An unknown window does not prevent counting: the count shows whether the upstream reads fewer tokens than were
    // sent.
    await this.#prepareOrPass(window ?? UNKNOWN_WINDOW);
  }

  /** Several answers each have a window of their own, and are not continued. */
  get mayContinue(): boolean {
    return !this.#options.chat.isMultiple;
  }

  watchStream(): StreamWatch | undefined {
    if (!this.mayContinue) return undefined;
    return this.#prepared && this.conversations.watchStream(this.#prepared);
  }

  /** Prepares the request that continues an answer whose stream was stopped. */
  async continueAnswer(soFar: AnswerSoFar): Promise<void> {
    const { upstream, model } = this.route;
    const { chat } = this.#options;
    const window = windowAskedFor(chat) ?? (await this.#core.windows.windowNow(upstream, model));
    if (this.#prepared === undefined || window === undefined) return;
    this.stats.restarts += 1;
    const message = 'The window was nearly full in the middle of an answer. Continuing it in a new request.';
    this.log({ level: 'info', message });
    // The window may be known better than when the request was prepared.
    const request = { ...this.#prepared.request, windowTokens: window.windowTokens };
    const current = { ...this.#prepared, request };
    this.#noteFresh(await this.conversations.continueFrom(current, soFar, this.#prepareOptions(window)));
  }

  /**
   * Compacts a refused request and returns whether that succeeded. Only once: a second refusal is passed on to the
   * client.
   */
  async compactAgain(refused: NonNullable<PrepareOptions['refused']>): Promise<boolean> {
    const window = this.#core.windows.known(this.route.upstream, this.route.model);
    if (this.#hasRetried || window === undefined) return false;
    this.#hasRetried = true;
    try {
      await this.#prepare(window, { refused });
      return true;
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      if (error.code === 'cancelled' || this.#options.signal.aborted) throw error;
      // The client gets the upstream's own error.
      this.log({ level: 'warn', code: error.code, message: error.message });
      return false;
    }
  }

  get route(): Route {
    return this.#options.route;
  }

  get stats() {
    return this.#core.stats.of(this.about.upstream, this.about.model);
  }

  /** Prepares the request. If the messages cannot be counted, the request is sent unchanged. */
  async #prepareOrPass(window: KnownWindow): Promise<void> {
    try {
      await this.#prepare(window, {});
    } catch (thrown) {
      if (thrown instanceof LonghaulError || this.#options.signal.aborted) throw thrown;
      const message = `The request could not be counted and is sent unchanged: ${toLonghaulError(thrown).message}`;
      this.log({ level: 'warn', code: 'internal', message });
    }
  }

  async #prepare(window: KnownWindow, { refused }: Pick<PrepareOptions, 'refused'>): Promise<void> {
    const { upstream, model } = this.route;
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
    const prepared = await this.conversations.prepare(request, {
      ...this.#prepareOptions(window),
      refused,
      windowNow: refused === undefined ? windowNow : undefined,
    });
    this.#noteFresh(prepared);
  }

  #prepareOptions(window: KnownWindow): PrepareOptions {
    const { upstream, model } = this.route;
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
    const window = this.#core.windows.known(this.route.upstream, this.route.model);
    this.limit.fit({ window, promptTokens: prepared.estimatedTokens });
    this.#options.onPrepared();
    notePrepared(prepared, { stats: this.stats, log: (entry) => this.log(entry) });
    this.#core.conversations?.note(prepared, this.about);
  }

  /** Includes the chat's id, if there is one, since one model may serve several chats at once. */
  log(entry: Pick<LogEntry, 'level' | 'message' | 'code'>): void {
    this.#core.log({ ...entry, ...this.about, chat: this.#options.chat.chatId });
  }
}
