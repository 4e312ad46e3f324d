import { LonghaulError, type Mark } from '@longhaul/protocol';
import { type Budget, computeBudget, DEFAULT_LEDGER_SHARE } from '../budget.ts';
import { compact } from '../compact.ts';
import { type ContextState, decidePruning, decideRequest, nextDue } from '../decide.ts';
import { createLedgerKeeper } from '../ledger/ledger-keeper.ts';
import type { Summarise } from '../narrative.ts';
import { createRequestMeter, type RequestMeter } from '../request-size.ts';
import { ReactiveOverflowStrategy } from '../strategies/reactive-overflow.ts';
import type { CompressionStrategy } from '../strategy.ts';
import { countByClasses, memoizeCounter, type TokenCounter } from '../tokens.ts';
import { renderSummary, type ViewEntry } from '../view.ts';
import { createViewKeeper } from '../view-keeper.ts';
import { MessageLog } from './message-log.ts';
import { type RecallInput, recallFrom } from './recall.ts';
import type {
  CompactedMessages,
  ContextSession,
  ContextSessionOptions,
  ContextSessionState,
  FitOptions,
  FittedMessages,
} from './session-types.ts';
import { summariseWith } from './summarise-with.ts';

/**
 * Creates a session that keeps your own agent loop within its model's window.
 *
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
  readonly #log: MessageLog<M>;
  readonly #count: TokenCounter;
  readonly #meter: RequestMeter;
  readonly #views = createViewKeeper();
  readonly #strategy: CompressionStrategy;
  #ledger = createLedgerKeeper();
  #marks: Mark[] = [];
  #learnedWindowTokens: number | undefined;
  #nextId: number;
  #predictedTokens = 0;
  #wasRefused = false;
  #dueFrom = 0;

  constructor(options: ContextSessionOptions<M>) {
    const { state } = options;
    if (state !== undefined && state.version !== 1)
      throw new LonghaulError(
        'invalid_request',
        `Unknown version of a session's state: ${state.version}. The known version is 1.`,
      );
    this.#options = options;
    this.#log = new MessageLog(options.format);
    this.#count = memoizeCounter(options.count ?? countByClasses);
    this.#meter = createRequestMeter(this.#count, state?.ratio ?? 1);
    this.#strategy = options.strategy ?? new ReactiveOverflowStrategy();
    this.#learnedWindowTokens = state?.learnedWindowTokens;
    this.#nextId = state?.nextId ?? 1;
    if (state === undefined) return;
    for (const message of state.messages) this.#log.append(message);
    this.#marks = [...state.marks];
  }

  append(messages: readonly M[]): void {
    const pinned = this.#log.pinned.length;
    for (const message of messages) this.#log.append(message);
    for (const messageId of this.#log.pinned.slice(pinned))
      this.#mark([{ kind: 'pin', id: this.#newId(), messageId, createdAt: 0 }]);
  }

  get messageCount(): number {
    return this.#log.natives.length;
  }

  async fit(options: FitOptions = {}): Promise<FittedMessages<M>> {
    const compacted: CompactedMessages[] = [];
    for (let round = 0; round <= MAX_ROUNDS; round += 1) {
      const state = this.#state(options);
      this.#prune(state);
      const decision = decideRequest({ ...state, log: this.#contextLog(), dueFrom: this.#dueFrom });
      if (decision.action === 'refuse') throw decision.error;
      if (decision.action === 'send' && !this.#wasRefused) {
        this.#predictedTokens = decision.predictedTokens;
        const { predictedTokens, maxOutputTokens } = decision;
        const messages = this.#shown(decision.entries);
        return { messages, predictedTokens, maxOutputTokens, compacted: compacted.at(-1) };
      }
      const done = await this.#compact(state, decision.entries);
      if (done !== undefined) compacted.push(done);
      this.#wasRefused = false;
    }
    throw new LonghaulError(
      'context_exhausted',
      `The request still does not fit after ${MAX_ROUNDS} compactions.`,
    );
  }

  #shown(entries: readonly ViewEntry[]): M[] {
    return [...this.#log.head, ...entries.flatMap((entry) => this.#log.shownAs(entry))];
  }

  #contextLog(): ContextState['log'] {
    return { messages: this.#log.messages, marks: this.#marks };
  }

  #state({ system = '', tools }: FitOptions): ContextState {
    const { ledgerShare = DEFAULT_LEDGER_SHARE, protectedTools = DEFAULT_PROTECTED_TOOLS } = this.#options;
    return {
      log: this.#contextLog(),
      budget: this.#budget(`${this.#log.headText}${system}`, tools),
      meter: this.#meter,
      policy: { strategy: this.#strategy, auto: true, ledgerShare, protectedTools: new Set(protectedTools) },
      views: this.#views,
    };
  }

  get #windowTokens(): number {
    return Math.min(this.#options.windowTokens, this.#learnedWindowTokens ?? Number.POSITIVE_INFINITY);
  }

  #budget(system: string, tools: unknown): Budget {
    const schemas = tools === undefined ? '' : (JSON.stringify(tools) ?? '');
    return computeBudget({
      windowTokens: this.#windowTokens,
      maxOutputTokens: this.#options.maxOutputTokens,
      fixedTokens: this.#count(system) + this.#count(schemas),
    });
  }

  #prune(state: ContextState): void {
    const { targets } = decidePruning(state);
    this.#mark(targets.map((target) => ({ kind: 'prune', id: this.#newId(), compactedAt: 0, ...target })));
  }

  async #compact(
    { budget, policy }: ContextState,
    entries: readonly ViewEntry[],
  ): Promise<CompactedMessages | undefined> {
    // Messages that are appended while a model writes the narrative are not part of this compaction.
    const log = { ...this.#contextLog(), messages: [...this.#log.messages] };
    const outcome = await compact({
      log,
      budget,
      meter: this.#meter,
      strategy: this.#strategy,
      reason: this.#wasRefused ? 'overflow' : 'threshold',
      count: this.#count,
      ledgerShare: policy.ledgerShare,
      ledger: this.#ledger,
      protectedTools: policy.protectedTools,
      newId: () => this.#newId(),
      now: 0,
      summarise: this.#summariser(entries),
    });
    if (outcome.status === 'exhausted') {
      const { data } = outcome.error;
      if (!outcome.canBeSent || this.#wasRefused) throw outcome.error;
      this.#dueFrom = nextDue(Number(data['tokensBefore']));
      return undefined;
    }
    this.#dueFrom = 0;
    const { compaction, marks, warnings } = outcome;
    this.#mark([{ kind: 'compaction', sessionId: '', ...compaction }, ...marks]);
    this.#meter.forgetMeasured();
    // The ledger has read calls without their results. It must read them again.
    if (this.#log.hasOpenCalls) this.#ledger = createLedgerKeeper();
    const { round, tokensBefore, tokensAfter } = compaction;
    return { round, tokensBefore, tokensAfter, summary: renderSummary(compaction), warnings };
  }

  #summariser(entries: readonly ViewEntry[]): Summarise | undefined {
    const { summarise, format } = this.#options;
    if (summarise === undefined) return undefined;
    // A request has the first messages of the view, and one more.
    const shown = (count: number) => this.#shown(entries.slice(0, count));
    return summariseWith(summarise, { format, shown });
  }

  #mark(marks: readonly Mark[]): void {
    if (marks.length > 0) this.#marks = [...this.#marks, ...marks];
  }

  #newId(): string {
    this.#nextId += 1;
    return `x${this.#nextId}`;
  }

  learn(inputTokens: number | undefined): void {
    if (inputTokens !== undefined) this.#meter.calibrate(this.#predictedTokens, inputTokens);
  }

  learnRefusal({
    windowTokens,
    requestTokens,
  }: {
    windowTokens?: number;
    requestTokens?: number;
  } = {}): void {
    if (windowTokens !== undefined && windowTokens > 0 && windowTokens < this.#windowTokens)
      this.#learnedWindowTokens = windowTokens;
    if (requestTokens !== undefined && requestTokens > this.#predictedTokens) this.learn(requestTokens);
    else if (windowTokens === undefined) this.learn(Math.ceil(this.#predictedTokens * 1.15));
    this.#wasRefused = true;
  }

  recall(input: RecallInput): string {
    return recallFrom(this.#log.messages, input);
  }

  toJSON(): ContextSessionState<M> {
    return {
      version: 1,
      messages: [...this.#log.natives],
      marks: [...this.#marks],
      learnedWindowTokens: this.#learnedWindowTokens,
      ratio: this.#meter.ratio,
      nextId: this.#nextId,
    };
  }
}
