import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  isUserMessage,
  ledgerTokens,
  messageCosts,
  type PlanInput,
  PruningAgentStrategy,
  planKeeping,
  type Trigger,
} from '@longhaul/context';
import { ledgerTakes } from './ledger-takes.ts';

/** Of what messages may take after a compaction, for those that stay as they are; and besides, what the ledger leaves of its own share. */
const VERBATIM_SHARE = 0.5;

/**
 * How the gateway compacts where nothing else is configured. With a model, that model selects (`pruning-agent`). Without one, the newest
 * messages stay, as many as may.
 */
export function gatewayStrategy(hasModel: boolean, ledgerShare: number): CompressionStrategy {
  return hasModel ? new ToppedUpStrategy(ledgerShare) : new NewestMessagesStrategy(ledgerShare);
}

/** Where a question takes nearly all of the window, there is no room for what a model would keep, or write. The least, and as a share of the window. */
const LEAST_TO_SELECT = { tokens: 300, share: 0.035 };

/** Says when for itself; the gateway says when. */
const TRIGGER: Trigger = { kind: 'threshold', percent: 0.8 };

class NewestMessagesStrategy implements CompressionStrategy {
  readonly name: string = 'newest-messages';
  readonly trigger = TRIGGER;
  readonly #ledgerShare: number;

  constructor(ledgerShare: number) {
    this.#ledgerShare = ledgerShare;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const kept = keptWithNewest(input, new Set(), this.#ledgerShare);
    return planKeeping(input, kept, { wantsNarrative: false });
  }
}

/**
 * Models select little: of a request that should be halved, they would leave a tenth. What then is left of the room goes to the newest messages
 * they left out. Where no model answered, the strategy's own fallback stands: the last five messages and the ledger.
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
    const least = Math.min(LEAST_TO_SELECT.tokens, windowTokens * LEAST_TO_SELECT.share);
    if (messageTokens < least) return this.#withoutModel.plan(input);
    const plan = await this.#strategy.plan(input);
    if (plan.narrative === undefined) return plan;
    const hidden = new Set(plan.hides);
    const selected = hideableMessages(input).filter(({ id }) => !hidden.has(id));
    const kept = keptWithNewest(input, new Set(selected.map(({ id }) => id)), this.#ledgerShare);
    return { ...plan, hides: plan.hides.filter((id) => !kept.has(id)) };
  }
}

/** These, and the newest others that there is room for: from a user's message on, unless too little would stay. */
function keptWithNewest(input: PlanInput, kept: ReadonlySet<string>, ledgerShare: number): Set<string> {
  const costs = messageCosts(input);
  const costOf = (id: string) => costs.get(id) ?? 0;
  // It stays anyway, and has a room of its own.
  const newest = input.log.messages.at(-1)?.id ?? '';
  const all = new Set([...kept, newest]);
  const room =
    verbatimTokens(input, ledgerShare) - [...all].reduce((sum, id) => sum + costOf(id), -costOf(newest));
  const added: string[] = [];
  let tokens = 0;
  let fromUser = { count: 0, tokens: 0 };
  for (const message of hideableMessages(input).toReversed()) {
    if (!all.has(message.id)) {
      tokens += costOf(message.id);
      if (tokens > room) break;
      added.push(message.id);
    }
    if (isUserMessage(message)) fromUser = { count: added.length, tokens };
  }
  const isEnough = fromUser.tokens >= room / 2;
  return new Set([...all, ...(isEnough ? added.slice(0, fromUser.count) : added)]);
}

/** What the ledger leaves of its share is used, too. */
function verbatimTokens(input: PlanInput, ledgerShare: number): number {
  const { budget } = input;
  const left = ledgerTokens(budget, ledgerShare) - ledgerTakes(input, ledgerShare);
  return budget.messageTokens * VERBATIM_SHARE + left;
}
