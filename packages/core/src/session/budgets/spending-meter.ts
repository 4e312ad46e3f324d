import {
  type BudgetFacts,
  type BudgetState,
  type Budgets,
  type EventPayload,
  type LonghaulError,
  type TokenUsage,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { ModelDriver, UsageStore } from '../../ports/index.ts';
import { budgetStates, findSpent, hasLimits, limitsCost } from './budget-states.ts';
import { type BudgetOwner, budgetExceeded, nearlySpentText } from './budget-text.ts';

export interface SpendingMeterOptions {
  store: Pick<UsageStore, 'recordUsage' | 'readSpent'>;
  /** Who pays. Read once, before the first call. */
  owner: () => Promise<BudgetOwner>;
  /** Called before each model call, so that a change is effective at once. */
  budgetsFor: (owner: string) => Budgets | Promise<Budgets>;
  costOf: (usage: TokenUsage, driver: ModelDriver) => number | undefined;
  /** Models without a price that were reported. Each is reported once. */
  reported: Set<string>;
  /** Emits an event of the session. Absent: it has no run. */
  announce?: ((event: EventPayload) => Promise<void>) | undefined;
}

/** A model call that was allowed. */
export interface AllowedCall {
  /** Stores what the call has used. Undefined: nothing. */
  settle(usage: TokenUsage | undefined): Promise<void>;
}

/**
 * Counts the model calls of a session, and refuses them when a budget has nothing left. A call that is under way is
 * never stopped, so a budget can be exceeded by what the calls that run at the same time use.
 */
export class SpendingMeter {
  readonly #options: SpendingMeterOptions;
  #owner: Promise<BudgetOwner> | undefined;
  /** Events that were emitted. Each is emitted once. */
  readonly #announced = new Set<string>();

  constructor(options: SpendingMeterOptions) {
    this.#options = options;
  }

  /** Returns the budgets that apply, with what is spent of them. */
  async states(): Promise<BudgetState[]> {
    return (await this.#read()).states;
  }

  /** Returns why no model may be called, or undefined. Reports a budget that is spent, or nearly. */
  async refusal(): Promise<LonghaulError | undefined> {
    return await this.#judge(await this.#read());
  }

  /**
   * Begins a call. What it sends is counted at once, so that it counts even if this process is killed.
   *
   * @param sent The estimated usage of what is sent.
   * @throws {LonghaulError} `budget_exceeded`; errors of the store.
   */
  async begin(driver: ModelDriver, sent: TokenUsage): Promise<AllowedCall> {
    const read = await this.#read();
    const refusal = await this.#judge(read);
    if (refusal !== undefined) throw refusal;
    await this.#reportUnpriced(driver, read.budgets);
    const { store, costOf } = this.#options;
    const { provider, model } = driver.info;
    const call = { ...read.owner, model: `${provider}/${model}` };
    const sentCost = costOf(sent, driver);
    const reserved = hasLimits(read.budgets)
      ? await store.recordUsage({ ...call, calls: 0, usage: sent, costUsd: sentCost })
      : undefined;
    return {
      settle: async (used) => {
        if (used === undefined && reserved === undefined) return;
        const [usage, costUsd] = [used ?? ZERO_USAGE, used === undefined ? 0 : costOf(used, driver)];
        const calls = used === undefined ? 0 : 1;
        if (reserved === undefined) await store.recordUsage({ ...call, calls, usage, costUsd });
        else
          await store.recordUsage({
            ...call,
            calls,
            usage: difference(usage, sent),
            costUsd: sentCost === undefined ? undefined : (costUsd ?? 0) - sentCost,
            day: reserved.today,
          });
      },
    };
  }

  async #read(): Promise<{ owner: BudgetOwner; budgets: Budgets; states: BudgetState[] }> {
    const { store, budgetsFor, owner: findOwner } = this.#options;
    this.#owner ??= findOwner();
    const owner = await this.#owner;
    const budgets = await budgetsFor(owner.owner);
    const states = hasLimits(budgets) ? budgetStates(budgets, await store.readSpent(owner)) : [];
    return { owner, budgets, states };
  }

  async #judge({ states, owner }: { states: BudgetState[]; owner: BudgetOwner }) {
    const { exceeded, nearly } = findSpent(states);
    const [first] = exceeded;
    if (first === undefined) {
      for (const facts of nearly) await this.#warn('budget:warning', facts, nearlySpentText(facts, owner));
      return undefined;
    }
    const error = budgetExceeded(first, owner);
    await this.#warn('budget:exceeded', first, error.message);
    return error;
  }

  async #warn(
    type: 'budget:warning' | 'budget:exceeded',
    facts: BudgetFacts,
    message: string,
  ): Promise<void> {
    const key = `${type} ${facts.budget} ${facts.unit} ${facts.limit}`;
    if (this.#announced.has(key)) return;
    this.#announced.add(key);
    await this.#options.announce?.({ type, ...facts, message });
  }

  async #reportUnpriced(driver: ModelDriver, budgets: Budgets): Promise<void> {
    const { costOf, reported, announce } = this.#options;
    const model = `${driver.info.provider}/${driver.info.model}`;
    if (announce === undefined || !limitsCost(budgets) || reported.has(model)) return;
    if (costOf(ZERO_USAGE, driver) !== undefined) return;
    reported.add(model);
    const message = `No price is known for ${model}, so budgets in US dollars do not limit it. Set a budget of tokens, or its price: providers.NAME.models.MODEL.price`;
    await announce({ type: 'context:warning', message });
  }
}

function difference(usage: TokenUsage, less: TokenUsage): TokenUsage {
  return {
    inputTokens: usage.inputTokens - less.inputTokens,
    outputTokens: usage.outputTokens - less.outputTokens,
    reasoningTokens: usage.reasoningTokens - less.reasoningTokens,
    cacheReadTokens: usage.cacheReadTokens - less.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens - less.cacheWriteTokens,
    totalTokens: usage.totalTokens - less.totalTokens,
  };
}
