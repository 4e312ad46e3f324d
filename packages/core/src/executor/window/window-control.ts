import { compact, measureKeptFacts } from '@longhaul/context/engine';
import type { CompactionForecast, ContextControl } from '../../ports/index.ts';
import type { ContextWindow } from './context-window.ts';

/** With a smaller share of what triggers a compaction in use, there is room enough. */
const LEAST_FULL = 0.3;

/** After a compaction, the provider reads the whole request again. So it must free at least this share of it. */
const LEAST_SAVING = 0.3;

/** What the tools of a run can learn about its context. */
export class WindowControl implements ContextControl {
  readonly #window: ContextWindow;
  readonly #isAutomatic: boolean;

  /** @param isAutomatic Whether the session compacts without a person. */
  constructor(window: ContextWindow, isAutomatic: boolean) {
    this.#window = window;
    this.#isAutomatic = isAutomatic;
  }

  async keptFacts(): Promise<readonly string[]> {
    return (await this.#window.fold()).kept?.facts ?? [];
  }

  async measureFacts(facts: readonly string[]): Promise<{ tokens: number; maxTokens: number }> {
    return measureKeptFacts(facts, await this.#window.compactOptions('model'));
  }

  async forecast(): Promise<CompactionForecast> {
    const no = (reason: string) => ({ isWorthIt: false, reason }) as const;
    if (!this.#isAutomatic) return no('only the user compacts this session');
    const decision = this.#window.decide();
    if (decision.action === 'refuse') return no('the next request does not fit');
    const share = decision.predictedTokens / this.#window.dueTokens;
    if (share < LEAST_FULL) return no(`only ${Math.round(share * 100)} % of the context is in use`);
    const outcome = await compact({
      ...(await this.#window.compactOptions('model')),
      leastSaving: LEAST_SAVING,
    });
    if (outcome.status === 'exhausted') return no('it would free too little');
    const { tokensBefore, tokensAfter } = outcome.compaction;
    return { isWorthIt: true, tokensBefore, tokensAfter };
  }
}
