import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
  PruningAgentStrategy,
  planKeeping,
  type Trigger,
} from '@longhaul/context/engine';
import { keptWithNewest, roomForNarrative } from './newest-messages.ts';

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

/**
 * The compacting model sees up to this much of a tool output. What it does not see is lost: unlike those of an agent, a
 * gateway's models have no `recall`.
 */
const SEEN_OUTPUT_CHARS = 16_000;

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
  readonly #strategy = new PruningAgentStrategy({ outputChars: SEEN_OUTPUT_CHARS });
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
    const room = roomForNarrative(input, this.#ledgerShare);
    const plan = withNarrativeRoom(await this.#strategy.plan(input), room);
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

/**
 * A narrative may have this many tokens if the newest messages leave them, also in a small room: it replaces all that
 * the model no longer sees.
 */
const NARRATIVE_TOKENS = 850;
/** The engine accepts a narrative that is longer than planned by this factor. */
const TOLERANCE = 1.5;

function withNarrativeRoom(plan: CompactionPlan, room: number): CompactionPlan {
  if (plan.narrativeTokens === undefined) return plan;
  const tokens = Math.floor(Math.min(NARRATIVE_TOKENS, room) / TOLERANCE);
  return { ...plan, narrativeTokens: Math.max(plan.narrativeTokens, tokens) };
}
