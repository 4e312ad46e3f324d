import {
  buildLedger,
  type CompactionPlan,
  isUserMessage,
  ledgerTokens,
  messageCosts,
  type PlanInput,
} from '@longhaul/context';
import type { CutMark, Message } from '@longhaul/protocol';
import { cutToFit } from './cut-to-fit.ts';

/** Of the room for messages: what takes more is a document, and as much must be left of it to be of use. */
const DOCUMENT_SHARE = 0.25;
/** The heading of a summary, and what stands around it. */
const HEADING_TOKENS = 40;

/** Shares of tokens come to less than whole ones. */
const ROUNDING_TOKENS = 4;

export interface DocumentRoom {
  /** For all but what is to be answered now. */
  restTokens: number;
  ledgerShare: number;
}

/**
 * The newest large message before the one that is to be answered: a pasted document, mostly, or what a tool has found. The next question is
 * most probably about it, so what nothing else needs of the room is for as much of it as fits, from its head and its tail. It fades as the
 * conversation goes on.
 */
export function withRoomForDocument(
  plan: CompactionPlan,
  input: PlanInput,
  room: DocumentRoom,
): CompactionPlan {
  const least = input.budget.messageTokens * DOCUMENT_SHARE;
  const faded = { ...plan, marks: [...plan.marks, ...cutsOfEarlier(plan, input, least)] };
  const costs = costsOfEarlier(input);
  const document = input.log.messages.findLast(({ id }) => (costs.get(id) ?? 0) > least);
  if (document === undefined) return faded;
  // What was said since stays with it, and what it answers.
  const { messages } = input.log;
  const at = messages.indexOf(document);
  const isAnswer = document.role === 'assistant' && messages[at - 1]?.role === 'user';
  const since = new Set(messages.slice(isAnswer ? at - 1 : at).map(({ id }) => id));
  const hides = plan.hides.filter((id) => !since.has(id));
  const marks = faded.marks.filter((mark) => mark.kind !== 'cut' || mark.messageId !== document.id);
  const shown = { ...plan, hides, marks };
  const left = room.restTokens - tokensBeside(document, shown, { input, costs, ...room });
  return left < least ? faded : { ...shown, marks: [...marks, ...cutToFit(document, left, input)] };
}

/** Of the messages that are visible now, the one to be answered apart. */
function costsOfEarlier(input: PlanInput): ReadonlyMap<string, number> {
  const newest = input.log.messages.at(-1)?.id;
  return new Map([...messageCosts(input)].filter(([id]) => id !== newest));
}

/** What else stays, and the summary. */
function tokensBeside(
  document: Message,
  { hides, marks, narrative = '' }: CompactionPlan,
  { input, costs, ledgerShare }: DocumentRoom & { input: PlanInput; costs: ReadonlyMap<string, number> },
): number {
  const hidden = new Set(hides);
  const cut = new Set(marks.flatMap((mark) => (mark.kind === 'cut' ? [mark.messageId] : [])));
  let tokens = ROUNDING_TOKENS;
  for (const [id, cost] of costs) {
    if (id === document.id || hidden.has(id)) continue;
    tokens += cut.has(id) ? Math.min(cost, input.budget.messageTokens * DOCUMENT_SHARE) : cost;
  }
  if (hides.length === 0 && input.marks.hidden.size === 0) return tokens;
  const { log, budget, count } = input;
  const ledger = buildLedger(log.messages, { maxTokens: ledgerTokens(budget, ledgerShare), count });
  return tokens + HEADING_TOKENS + count(narrative) + count(ledger);
}

/** Those that were the question, or the newest document, when they were cut. */
function cutsOfEarlier(plan: CompactionPlan, input: PlanInput, maxTokens: number): CutMark[] {
  const hidden = new Set(plan.hides);
  const costs = costsOfEarlier(input);
  const cutIds = new Set([...input.marks.cuts.values()].map(({ messageId }) => messageId));
  return input.log.messages.flatMap((message) => {
    const isShown = cutIds.has(message.id) && isUserMessage(message) && !hidden.has(message.id);
    // Once cut to it, a text has a few tokens more or less.
    const isLarge = (costs.get(message.id) ?? 0) > maxTokens * 1.2;
    return isShown && isLarge ? cutToFit(message, maxTokens, input) : [];
  });
}
