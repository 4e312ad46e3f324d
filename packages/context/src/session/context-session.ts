import type { LonghaulError } from '@longhaul/protocol';
import { type Budget, computeBudget, DEFAULT_LEDGER_SHARE } from '../budget.ts';
import { contextExhausted } from '../compaction/context-exhausted.ts';
import {
  type ContextState,
  decidePruning,
  decideRequest,
  type FittedRequest,
  type RequestDecision,
} from '../decide.ts';
import { countAnyMedia } from '../media/count-media.ts';
import { RefusalsWithoutSizes } from '../refusals-without-sizes.ts';
import { createRequestMeter, type RequestMeter } from '../request-size.ts';
import { ReactiveOverflowStrategy } from '../strategies/reactive-overflow.ts';
import type { CompressionStrategy } from '../strategy.ts';
import { countByClasses, memoizeCounter, type TokenCounter } from '../tokens.ts';
import type { ViewEntry } from '../view.ts';
import { createViewKeeper } from '../view-keeper.ts';
import { AppendedMessages } from './appended-messages.ts';
import { withEncodedBytes } from './bytes-in-json.ts';
import { throwIfAborted } from './cancel.ts';
import type { MessageLog } from './message-log.ts';
import { recallFrom } from './recall.ts';
import { SentSizes } from './sent-size.ts';
import { SessionCompactor } from './session-compactor.ts';
import { SessionMarks } from './session-marks.ts';
import type {
  CompactedMessages,
  ContextSession,
  ContextSessionOptions,
  ContextSessionState,
  FitOptions,
  FittedMessages,
  NamedSizes,
} from './session-types.ts';
import { storedMessages } from './stored-messages.ts';

/**
 * Creates a session that keeps your own agent loop within its model's window.
 *
 * @throws {LonghaulError} `invalid_request` for a state of an unknown version.
 * @example
 * const session = createContextSession({ format: openAiChatFormat(), windowTokens: 32_768, maxOutputTokens: 4_096 });
 * session.append([{ role: 'user', content: 'Find the bug.' }]);
 * const { messages } = await session.fit({ tools });
 */
export function createContextSession<M>(options: ContextSessionOptions<M>): ContextSession<M> {
  return new LoggedSession(options);
}

/** The most compactions of one `fit`. A request below the trigger may still leave too little room for an answer. */
const MAX_ROUNDS = 3;
const DEFAULT_PROTECTED_TOOLS = ['todo'];

class LoggedSession<M> implements ContextSession<M> {
  readonly #options: ContextSessionOptions<M>;
  readonly #appended: AppendedMessages<M>;
  readonly #count: TokenCounter;
  readonly #sizes: SentSizes<M>;
  readonly #meter: RequestMeter;
  readonly #views = createViewKeeper();
  readonly #strategy: CompressionStrategy;
  readonly #marks: SessionMarks;
  readonly #compactor: SessionCompactor<M>;
  readonly #refusals = new RefusalsWithoutSizes();
  #learnedWindowTokens: number | undefined;
  /** The request of the last `fit`, until its real size is known. */
  #sent: { request: FittedRequest; fixedTokens: number } | undefined;

  constructor(options: ContextSessionOptions<M>) {
    const { state, format, countMedia = countAnyMedia } = options;
    this.#options = options;
    this.#appended = new AppendedMessages(format);
    this.#count = memoizeCounter(options.count ?? countByClasses);
    this.#sizes = new SentSizes(format, { count: this.#count, countMedia });
    this.#meter = createRequestMeter(this.#count, state?.ratio ?? 1, {
      sizeOf: (entry) => this.#sizes.of(this.#log.shownAs(entry)),
      isCautious: true,
      initialMediaRatio: state?.mediaRatio,
    });
    this.#strategy = options.strategy ?? new ReactiveOverflowStrategy();
    this.#learnedWindowTokens = state?.learnedWindowTokens;
    this.#marks = new SessionMarks(state);
    this.#compactor = new SessionCompactor(options, this.#marks, this.#count);
    this.#compactor.wasRefused = state?.wasRefused === true;
    this.#appended.append(storedMessages(options));
  }

  get #log(): MessageLog<M> {
    return this.#appended.log;
  }

  append(messages: readonly M[]): void {
    this.#appended.append(messages);
  }

  sync(messages: readonly M[]): number {
    this.#appended.expectBeginningOf(messages);
    const added = messages.slice(this.messageCount);
    this.append(added);
    return added.length;
  }

  truncate(messageCount: number): void {
    const before = this.#log.messages;
    if (!this.#appended.truncate(messageCount)) return;
    this.#marks.truncate(before, this.#log.messages, this.#log.natives.length);
    this.#compactor.forget();
    this.#meter.forgetMeasured();
    this.#sent = undefined;
  }

  get messageCount(): number {
    return this.#appended.messages.length;
  }

  async fit(options: FitOptions = {}): Promise<FittedMessages<M>> {
    const { signal } = options;
    let compacted: CompactedMessages | undefined;
    let rounds = 0;
    for (;;) {
      throwIfAborted(signal);
      if (this.#compactor.isRunning) {
        compacted = (await this.#compactor.join(signal)) ?? compacted;
        continue;
      }
      const state = this.#prunedState(options);
      const decision = decideRequest({ ...state, dueFrom: this.#compactor.dueFrom });
      if (decision.action === 'refuse') throw decision.error;
      if (decision.action === 'send' && !this.#compactor.wasRefused)
        return this.#fitted(decision, state.budget, compacted);
      if (rounds === MAX_ROUNDS) throw noRoom(state, decision);
      rounds += 1;
      compacted = (await this.#compact(state, decision.entries, options)) ?? compacted;
    }
  }

  #fitted(
    request: FittedRequest,
    { fixedTokens }: Budget,
    compacted: CompactedMessages | undefined,
  ): FittedMessages<M> {
    this.#sent = { request, fixedTokens };
    const { entries, predictedTokens, maxOutputTokens } = request;
    const shown = this.#shown(this.#log, entries);
    const messages = this.#options.format.join?.(shown) ?? shown;
    return compacted === undefined
      ? { messages, predictedTokens, maxOutputTokens }
      : { messages, predictedTokens, maxOutputTokens, compacted };
  }

  #compact(
    state: ContextState,
    entries: readonly ViewEntry[],
    { signal }: FitOptions,
  ): Promise<CompactedMessages | undefined> {
    const log = this.#log;
    return this.#compactor.run({
      log,
      isCurrent: () => log === this.#log,
      state,
      entries,
      shown: (some) => this.#shown(log, some),
      signal,
    });
  }

  #shown(log: MessageLog<M>, entries: readonly ViewEntry[]): M[] {
    return [...log.head, ...entries.flatMap((entry) => log.shownAs(entry))];
  }

  /** Returns the session's state after pruning, if that is worth it. */
  #prunedState(options: FitOptions): ContextState {
    const state = this.#state(options);
    const { targets } = decidePruning(state);
    if (targets.length === 0) return state;
    this.#marks.add(
      targets.map((target) => ({ kind: 'prune', id: this.#marks.newId(), compactedAt: 0, ...target })),
    );
    return { ...state, log: this.#contextLog };
  }

  get #contextLog(): ContextState['log'] {
    return { messages: this.#log.messages, marks: this.#marks.all };
  }

  #state(options: FitOptions): ContextState {
    const { ledgerShare = DEFAULT_LEDGER_SHARE, protectedTools = DEFAULT_PROTECTED_TOOLS } = this.#options;
    return {
      log: this.#contextLog,
      budget: this.#budget(options),
      meter: this.#meter,
      policy: { strategy: this.#strategy, auto: true, ledgerShare, protectedTools: new Set(protectedTools) },
      views: this.#views,
    };
  }

  get #windowTokens(): number {
    return Math.min(this.#options.windowTokens, this.#learnedWindowTokens ?? Number.POSITIVE_INFINITY);
  }

  #budget({ system = '', tools }: FitOptions): Budget {
    const schemas = tools === undefined ? '' : (JSON.stringify(tools) ?? '');
    return computeBudget({
      windowTokens: this.#windowTokens,
      maxOutputTokens: this.#options.maxOutputTokens,
      fixedTokens: this.#sizes.of(this.#log.head).text + this.#count(system) + this.#count(schemas),
    });
  }

  learn(inputTokens: number | undefined): void {
    this.#refusals.answered();
    this.#measured(inputTokens);
  }

  #measured(inputTokens: number | undefined): void {
    if (inputTokens === undefined || this.#sent === undefined) return;
    const { request, fixedTokens } = this.#sent;
    this.#meter.measured(request.entries, fixedTokens, inputTokens);
    this.#sent = undefined;
  }

  learnRefusal(named: NamedSizes = {}): void {
    const request = this.#sent?.request;
    const predictedTokens = request?.predictedTokens ?? 0;
    const namesSizes = named.windowTokens !== undefined || (named.requestTokens ?? 0) > predictedTokens;
    const learned: NamedSizes = namesSizes || request === undefined ? named : this.#refusals.refused(request);
    this.#shrinkWindow(learned.windowTokens);
    if ((learned.requestTokens ?? 0) > predictedTokens) this.#measured(learned.requestTokens);
    this.#compactor.wasRefused = true;
  }

  #shrinkWindow(windowTokens = 0): void {
    if (windowTokens > 0 && windowTokens < this.#windowTokens) this.#learnedWindowTokens = windowTokens;
  }

  recall(input: unknown): string {
    return recallFrom(this.#log.messages, input);
  }

  get messages(): readonly M[] {
    return this.#appended.messages;
  }

  toJSON(): ContextSessionState<M> {
    return { ...this.marksOnly(), messages: this.messages.map(withEncodedBytes) };
  }

  marksOnly(): ContextSessionState<M> {
    return {
      version: 1,
      messageCount: this.messageCount,
      ...(this.#learnedWindowTokens === undefined ? {} : { learnedWindowTokens: this.#learnedWindowTokens }),
      ...(this.#compactor.wasRefused ? { wasRefused: true } : {}),
      ratio: this.#meter.ratio,
      mediaRatio: this.#meter.mediaRatio,
      ...this.#marks.toJSON(),
    };
  }
}

function noRoom(
  { budget, meter, log }: ContextState,
  { entries, predictedTokens }: Exclude<RequestDecision, { action: 'refuse' }>,
): LonghaulError {
  const problem = `No room after ${MAX_ROUNDS} compactions: the request has ${predictedTokens} tokens, and ${budget.usableTokens} fit beside an answer`;
  const tokens = { tokensBefore: predictedTokens, tokensAfter: predictedTokens };
  return contextExhausted(problem, { budget, meter, log, entries, ...tokens });
}
