import {
  type CompactionPlan,
  isUserMessage,
  ledgerTokens,
  messageCosts,
  type PlanInput,
} from '@longhaul/context';
import type { CutMark } from '@longhaul/protocol';

/** What the engine leaves of a user message that is too large alone, as a share of the room for messages. */
const USUAL_SHARE = 0.25;

/** The room for messages is less than all that may be sent: a strategy's own share of it. */
const ALL_OF_IT = 1.25;

/** Of its share. Where it takes more, it is shortened. */
const LEDGER_TAKES = 0.5;

const NEARLY_ALL = 0.9;

/**
 * The engine cuts a user message that is too large alone to a quarter of the room: an agent reads the rest again when it needs it. Behind a
 * gateway nobody can, so the question that is to be answered now (a pasted document, mostly) gets what all else leaves. Once it is an
 * earlier one, it is cut as those are.
 */
export function withRoomForQuestion(
  plan: CompactionPlan,
  input: PlanInput,
  ledgerShare: number,
): CompactionPlan {
  const question = input.log.messages.findLast(isUserMessage);
  if (question === undefined) return plan;
  const room = roomFor(question.id, { plan, input, ledgerShare });
  const marks = plan.marks.flatMap((mark) =>
    mark.kind === 'cut' && mark.messageId === question.id ? widened(mark, input, room) : [mark],
  );
  return { ...plan, marks: [...marks, ...cutsOfEarlier(plan, input, question.id)] };
}

/** What is left of the room for messages beside those that stay, and the ledger. */
function roomFor(
  question: string,
  { plan, input, ledgerShare }: { plan: CompactionPlan; input: PlanInput; ledgerShare: number },
): number {
  const { budget } = input;
  const hidden = new Set([...plan.hides, ...input.marks.hidden]);
  const isCut = new Set(plan.marks.flatMap((mark) => (mark.kind === 'cut' ? [mark.messageId] : [])));
  let tokens =
    budget.messageTokens * ALL_OF_IT -
    (hidden.size === 0 ? 0 : ledgerTokens(budget, ledgerShare) * LEDGER_TAKES);
  for (const [id, cost] of messageCosts(input)) {
    if (id === question || hidden.has(id)) continue;
    tokens -= isCut.has(id) ? Math.min(cost, budget.messageTokens * USUAL_SHARE) : cost;
  }
  return tokens;
}

function widened(mark: CutMark, input: PlanInput, roomTokens: number): CutMark[] {
  const tokens = messageCosts(input).get(mark.messageId) ?? 0;
  const message = input.log.messages.find(({ id }) => id === mark.messageId);
  const part = message?.parts[mark.partIndex];
  if (part?.type !== 'text' || tokens === 0) return [mark];
  const keepChars = Math.floor((part.text.length * roomTokens) / tokens);
  // Nearly all: it is shown whole, and what stands around it made smaller.
  if (keepChars >= part.text.length * NEARLY_ALL) return [];
  return [keepChars > mark.keepChars ? { ...mark, keepChars } : mark];
}

/** Those that were the question when they were cut. */
function cutsOfEarlier(plan: CompactionPlan, input: PlanInput, question: string): CutMark[] {
  const hidden = new Set(plan.hides);
  const usual = input.budget.messageTokens * USUAL_SHARE;
  const costs = messageCosts(input);
  return [...input.marks.cuts.values()].flatMap((mark) => {
    const tokens = costs.get(mark.messageId) ?? 0;
    const message = input.log.messages.find(({ id }) => id === mark.messageId);
    if (message === undefined || !isUserMessage(message) || message.id === question) return [];
    // Once cut to it, a text has a few tokens more or less.
    if (hidden.has(message.id) || tokens <= usual * 1.2) return [];
    return [{ ...mark, keepChars: Math.floor((mark.keepChars * usual) / tokens) }];
  });
}
