import {
  buildLedger,
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

/**
 * Share of the room for messages for those that stay unchanged. The unused part of the ledger's share is added to it.
 */
const VERBATIM_SHARE = 0.5;

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
    const kept = keptWithNewest(input, new Set(), this.#ledgerShare);
    return planKeeping(input, kept, { wantsNarrative: false });
  }
}

/**
 * `pruning-agent`, plus the newest messages in the room that the model's selection leaves free. Models select too
 * little: of a request that should be halved they keep a tenth. If no model answers, the fallback of `pruning-agent`
 * applies: the last five messages and the ledger.
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
    if (plan.narrative === undefined) return plan;
    const hidden = new Set(plan.hides);
    const selected = hideableMessages(input).filter(({ id }) => !hidden.has(id));
    const kept = keptWithNewest(input, new Set(selected.map(({ id }) => id)), this.#ledgerShare);
    return { ...plan, hides: plan.hides.filter((id) => !kept.has(id)) };
  }
}

/** Adds the newest messages that fit, starting with a user message unless that would leave half of the room unused. */
function keptWithNewest(input: PlanInput, kept: ReadonlySet<string>, ledgerShare: number): Set<string> {
  const costs = messageCosts(input);
  const costOf = (id: string) => costs.get(id) ?? 0;
  // The newest message always stays, in a room of its own.
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

/** Includes the part of the ledger's share that the ledger leaves unused. */
function verbatimTokens(input: PlanInput, ledgerShare: number): number {
  const { budget } = input;
  const left = ledgerTokens(budget, ledgerShare) - estimatedLedgerTokens(input, ledgerShare);
  return budget.messageTokens * VERBATIM_SHARE + left;
}

/**
 * A ledger with a fifth of the room is built in a fraction of the time. It shows how much of its room a ledger uses,
 * unless it is so small that no section fits its share.
 */
const PROBE_SHARE = 0.2;
const MIN_PROBE_TOKENS = 500;

/** Estimates how many tokens of its share the ledger will use. */
function estimatedLedgerTokens(
  { log, budget, count }: Pick<PlanInput, 'log' | 'budget' | 'count'>,
  ledgerShare: number,
): number {
  const maxTokens = ledgerTokens(budget, ledgerShare);
  const probed = Math.max(
    1,
    Math.min(maxTokens, Math.max(MIN_PROBE_TOKENS, Math.floor(maxTokens * PROBE_SHARE))),
  );
  const taken = count(buildLedger(log.messages, { maxTokens: probed, count })) / probed;
  return maxTokens * Math.min(1, taken);
}
