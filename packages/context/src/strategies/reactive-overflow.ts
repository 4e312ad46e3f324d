import type { CutMark, Message } from '@longhaul/protocol';
import type { Budget } from '../budget.ts';
import { firstUserMessage, isUserMessage, partKey } from '../log.ts';
import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from '../strategy.ts';

export interface ReactiveOverflowOptions {
  /** Turns that stay verbatim, as far as the token cap allows. Default 2. */
  preserveLastNTurns?: number;
  /** Share of the message budget that the verbatim tail may take. Default 0.3. */
  tailShare?: number;
}

/** Share of the message budget that one kept user message may take before its middle is cut. */
const USER_MESSAGE_SHARE = 0.25;

/**
 * Compacts when the next request would no longer fit. Keeps the last turns within a token cap; inside a turn larger than the cap, its
 * last steps. The newest user message always stays, as the first does.
 */
export class ReactiveOverflowStrategy implements CompressionStrategy {
  readonly name = 'reactive-overflow';
  readonly trigger = { kind: 'overflow' } as const;
  readonly #options: Required<ReactiveOverflowOptions>;

  constructor(options: ReactiveOverflowOptions = {}) {
    this.#options = {
      preserveLastNTurns: options.preserveLastNTurns ?? 2,
      tailShare: options.tailShare ?? 0.3,
    };
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const messages = hideableMessages(input);
    const keep = this.#keptTail(messages, input);
    const hides = messages.filter((message) => !keep.has(message.id)).map((message) => message.id);
    return { hides, marks: cutLargeUserMessages(input, keep), wantsNarrative: true };
  }

  #keptTail(messages: readonly Message[], input: PlanInput): Set<string> {
    const capTokens = input.budget.messageTokens * this.#options.tailShare;
    const costs = new Map(
      input.entries.map((entry) => [entry.source?.id, input.meter.messageTokens(entry.message)]),
    );
    const keep = new Set<string>();
    let turns = 0;
    let tokens = 0;
    for (const message of messages.toReversed()) {
      tokens += costs.get(message.id) ?? 0;
      if (keep.size > 0 && tokens > capTokens) break;
      keep.add(message.id);
      if (isUserMessage(message)) turns += 1;
      if (turns >= this.#options.preserveLastNTurns) break;
    }
    const newestUser = messages.findLast(isUserMessage);
    if (newestUser !== undefined) keep.add(newestUser.id);
    return keep;
  }
}

/** Kept user messages that are too large alone: shown with their middle cut out, behind a handle. */
function cutLargeUserMessages(input: PlanInput, keep: ReadonlySet<string>): CutMark[] {
  const first = firstUserMessage(input.log.messages);
  const kept = input.log.messages.filter(
    (message) => message.role === 'user' && (message === first || keep.has(message.id)),
  );
  return kept.flatMap((message) => cutMessage(message, input));
}

function cutMessage(message: Message, { budget, meter, marks, round }: PlanInput): CutMark[] {
  return message.parts.flatMap((part, partIndex) => {
    if (part.type !== 'text' || marks.cuts.has(partKey(message.id, partIndex))) return [];
    const maxTokens = maxUserTokens(budget);
    const tokens = meter.messageTokens({ role: 'user', content: [{ type: 'text', text: part.text }] });
    if (tokens <= maxTokens) return [];
    const keepChars = Math.floor((part.text.length * maxTokens) / tokens);
    const id = `cut-${round}-${message.id}-${partIndex}`;
    return [{ kind: 'cut', id, messageId: message.id, partIndex, keepChars, createdAt: 0 }];
  });
}

function maxUserTokens(budget: Budget): number {
  return budget.messageTokens * USER_MESSAGE_SHARE;
}
