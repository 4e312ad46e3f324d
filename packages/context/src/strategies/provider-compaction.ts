import type { Trigger } from '../budget.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { ReactiveOverflowStrategy } from './reactive-overflow.ts';

export interface ProviderCompactionOptions {
  /** Default: when the next request would no longer fit. */
  trigger?: Trigger;
  /** Number of turns that stay verbatim, as far as the token cap allows. Default 2. */
  preserveLastNTurns?: number;
}

/**
 * Keeps what `reactive-overflow` keeps, and lets the model's provider summarise the rest with its own means. The ledger
 * is written too. It is what other models and `recall` see, and what remains if the provider has no such means or
 * fails; a model then writes the narrative.
 */
export class ProviderCompactionStrategy implements CompressionStrategy {
  readonly name = 'provider-compaction';
  readonly usesProvider = true;
  readonly trigger: Trigger;
  readonly #kept: ReactiveOverflowStrategy;

  constructor(options: ProviderCompactionOptions = {}) {
    this.#kept = new ReactiveOverflowStrategy(options);
    this.trigger = this.#kept.trigger;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const plan = await this.#kept.plan(input);
    const { summariseByProvider } = input;
    const hidden = new Set(plan.hides);
    const isHidden = ({ source }: PlanInput['entries'][number]) =>
      source !== undefined && hidden.has(source.id);
    const end = input.entries.findLastIndex(isHidden) + 1;
    if (summariseByProvider === undefined || end === 0) return plan;
    const prefix = input.entries.slice(0, end);
    const reply = await summariseByProvider({
      messages: prefix.map(({ message }) => message),
      kept: prefix
        .filter((entry) => entry.source !== undefined && !isHidden(entry))
        .map(({ message }) => message),
    });
    if (reply.status === 'ok') return { ...plan, wantsNarrative: false, opaque: reply.opaque };
    const reason = reply.reason.replace(/\.$/, '');
    const warning = `The provider made no summary: ${reason}. The ledger is used instead.`;
    return { ...plan, warnings: [...(plan.warnings ?? []), warning] };
  }
}
