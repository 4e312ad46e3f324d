import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
  PruningAgentStrategy,
  planKeeping,
  type Trigger,
} from '@longhaul/context';
import { keptWithNewest } from './newest-messages.ts';

/**
 * Creates the gateway's default strategy. With a model, that model selects messages (`pruning-agent`). Without one, as
 * many of the newest messages stay as fit.
 */
export function gatewayStrategy(hasModel: boolean, ledgerShare: number): CompressionStrategy {
  return hasModel ? new ToppedUpStrategy(ledgerShare) : new NewestMessagesStrategy(ledgerShare);
}

/**
 * With less room for messages (the smaller of tokens and share of the window) no model is queried: it could keep and
 * write almost nothing.
 */
const MIN_ROOM_TO_SELECT = { tokens: 300, share: 0.035 };

/** A strategy must have a trigger. The gateway replaces it. */
const TRIGGER: Trigger = { kind: 'threshold', percent: 0.8 };

class NewestMessagesStrategy implements CompressionStrategy {
  readonly name: string = 'newest-messages';
  readonly trigger = TRIGGER;
  readonly #ledgerShare: number;

  constructor(ledgerShare: number) {
    this.#ledgerShare = ledgerShare;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const kept = keptWithNewest(input, { kept: new Set(), ledgerShare: this.#ledgerShare });
    return planKeeping(input, kept, { wantsNarrative: false });
  }
}

/**
 * `pruning-agent`, plus the newest messages in the room that the model's selection leaves free. Models select too
 * little: of a request that should be halved they keep a tenth. If no usable answer arrives, the newest messages stay,
 * as without a model.
 */
class ToppedUpStrategy implements CompressionStrategy {
  readonly #strategy = new PruningAgentStrategy();
  readonly #withoutModel: NewestMessagesStrategy;
  readonly #ledgerShare: number;
  readonly name = this.#strategy.name;
  readonly trigger = TRIGGER;

  constructor(ledgerShare: number) {
    this.#ledgerShare = ledgerShare;
    this.#withoutModel = new NewestMessagesStrategy(ledgerShare);
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const { messageTokens, windowTokens } = input.budget;
    const least = Math.min(MIN_ROOM_TO_SELECT.tokens, windowTokens * MIN_ROOM_TO_SELECT.share);
    if (messageTokens < least) return this.#withoutModel.plan(input);
    const plan = await this.#strategy.plan(input);
    const hidden = new Set(plan.hides);
    const selected = hideableMessages(input).filter(({ id }) => !hidden.has(id));
    const kept = keptWithNewest(input, {
      kept: new Set(selected.map(({ id }) => id)),
      ledgerShare: this.#ledgerShare,
      plan,
    });
    const { narrative, narrativeTokens, warnings } = plan;
    return planKeeping(input, kept, { wantsNarrative: false, narrative, narrativeTokens, warnings });
  }
}
