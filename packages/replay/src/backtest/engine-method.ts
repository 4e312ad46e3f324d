import {
  type CompressionStrategy,
  type ContextPolicy,
  type ContextState,
  compact,
  computeBudget,
  createLedgerKeeper,
  createRequestMeter,
  createViewKeeper,
  decidePruning,
  decideRequest,
  type Summarise,
  type ViewEntry,
} from '@longhaul/context/engine';
import type { Mark, Message } from '@longhaul/protocol';
import type { MethodRun, MethodView, ReplayMethod, WindowOptions } from './method.ts';
import type { RecordedSession, RecordedStep } from './recorded-session.ts';
import { countedSummariser } from './summariser.ts';
import { ViewSegments } from './view-segments.ts';

export interface EngineOptions {
  createStrategy: () => CompressionStrategy;
  /** Writes narratives. Default: summaries consist of the ledger alone. */
  summarise?: Summarise;
  /** Share of the window for the ledger. Default: 0.2, as in the agent. */
  ledgerShare?: number;
}

/** A compaction makes progress or returns `exhausted`, so more compactions before one step are a defect. */
const MAX_COMPACTIONS_PER_STEP = 3;

/**
 * Replays a strategy of the engine. It makes the same decisions as the agent on the same log; the messages are recorded
 * ones.
 */
export function engineMethod(name: string, options: EngineOptions): ReplayMethod {
  return { name, start: (session, window) => new EngineRun(session, window, options) };
}

/** Counts by characters, as for every method. */
const count = (text: string) => Math.floor(text.length / 4);

class EngineRun implements MethodRun {
  readonly #session: RecordedSession;
  readonly #options: EngineOptions;
  readonly #messages: Message[] = [];
  readonly #marks: Mark[] = [];
  readonly #segments = new ViewSegments();
  readonly #ledger = createLedgerKeeper();
  readonly #state: ContextState;
  #ids = 0;

  constructor(session: RecordedSession, window: WindowOptions, options: EngineOptions) {
    this.#session = session;
    this.#options = options;
    const policy: ContextPolicy = {
      strategy: options.createStrategy(),
      auto: true,
      ledgerShare: options.ledgerShare ?? 0.2,
      protectedTools: new Set(),
    };
    const { windowTokens, outputTokens } = window;
    this.#state = {
      log: { messages: this.#messages, marks: this.#marks },
      budget: computeBudget({ windowTokens, maxOutputTokens: outputTokens, fixedTokens: 0 }),
      meter: createRequestMeter(count),
      policy,
      views: createViewKeeper(),
    };
  }

  async viewBefore(step: RecordedStep): Promise<MethodView> {
    this.#advance(step.messageIndex);
    let callTokens = 0;
    for (let attempt = 0; attempt < MAX_COMPACTIONS_PER_STEP; attempt += 1) {
      const decision = decideRequest(this.#state);
      if (decision.action === 'refuse') throw decision.error;
      if (decision.action === 'send') return { view: this.#segments.of(decision.entries), callTokens };
      const outcome = await this.#compact();
      callTokens += outcome.callTokens;
      if (!outcome.isDone) return this.#giveUp(decision.entries, callTokens);
    }
    const decision = decideRequest(this.#state);
    if (decision.action === 'refuse') throw decision.error;
    return this.#giveUp(decision.entries, callTokens);
  }

  /** Returns the view although it is too large. The agent would fail here. */
  #giveUp(entries: readonly ViewEntry[], callTokens: number): MethodView {
    return { view: this.#segments.of(entries), callTokens, isExhausted: true };
  }

  /** Adds the messages since the last step. Old outputs can be pruned after each assistant message. */
  #advance(end: number): void {
    for (const message of this.#session.messages.slice(this.#messages.length, end)) {
      this.#messages.push(message);
      if (message.role === 'assistant') this.#prune(message.createdAt);
    }
  }

  #prune(now: number): void {
    const { targets } = decidePruning(this.#state);
    for (const target of targets)
      this.#marks.push({ kind: 'prune', id: this.#newId(), compactedAt: now, ...target });
  }

  async #compact(): Promise<{ isDone: boolean; callTokens: number }> {
    const { log, budget, meter, policy } = this.#state;
    const summariser = countedSummariser(this.#options.summarise);
    const outcome = await compact({
      log,
      budget,
      meter,
      strategy: policy.strategy,
      reason: 'threshold',
      count,
      ledgerShare: policy.ledgerShare,
      ledger: this.#ledger,
      newId: () => this.#newId(),
      now: this.#messages.at(-1)?.createdAt ?? 0,
      summarise: summariser.summarise,
    });
    const callTokens = summariser.tokens();
    if (outcome.status === 'exhausted') return { isDone: false, callTokens };
    this.#marks.push({ kind: 'compaction', sessionId: '', ...outcome.compaction }, ...outcome.marks);
    return { isDone: true, callTokens };
  }

  #newId(): string {
    this.#ids += 1;
    return `replay-${this.#ids}`;
  }
}
