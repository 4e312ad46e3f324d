import {
  buildLedger,
  type CompactionPlan,
  isUserMessage,
  ledgerTokens,
  messageCosts,
  type PlanInput,
  renderSummary,
} from '@longhaul/context/engine';
import type { CutMark, Message } from '@longhaul/protocol';
import { cutToFit } from './cut-to-fit.ts';

/**
 * Share of the room for messages. A message above it is a document, and a smaller part of a document would be useless.
 */
export const DOCUMENT_SHARE = 0.25;
/** The short messages that separate the summary from messages of the user. */
export const SEPARATOR_TOKENS = 40;

/** Reserve for rounding errors of estimates. */
const ROUNDING_TOKENS = 4;

export interface DocumentRoom {
  /** Room for all messages except the newest. */
  restTokens: number;
  ledgerShare: number;
}

/**
 * Gives the free room to a document: the newest large message before the message to be answered. It is usually a pasted
 * document or a tool result, and the next question is probably about it. Its head and tail stay, as much as fits. Older
 * documents are cut to a quarter of the room for messages.
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
  // Everything since the document stays as well, and the question that the document answers.
  const { messages } = input.log;
  const at = messages.indexOf(document);
  const isAnswer = document.role === 'assistant' && messages[at - 1]?.role === 'user';
  const since = new Set(messages.slice(isAnswer ? at - 1 : at).map(({ id }) => id));
  const hides = plan.hides.filter((id) => !since.has(id));
  const marks = faded.marks.filter((mark) => mark.kind !== 'cut' || mark.messageId !== document.id);
  const shown = { ...plan, hides, marks };
  const left = room.restTokens - otherTokens(document, shown, { input, costs, ...room });
  return left < least ? faded : { ...shown, marks: [...marks, ...cutToFit(document, left, input)] };
}

/** Costs of the visible messages, without the newest. */
function costsOfEarlier(input: PlanInput): ReadonlyMap<string, number> {
  const newest = input.log.messages.at(-1)?.id;
  return new Map([...messageCosts(input)].filter(([id]) => id !== newest));
}

/** Tokens of the other visible messages and the summary. */
function otherTokens(
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
  const summary = renderSummary({ strategy: '', round: input.round, summary: { ledger, narrative } });
  return tokens + SEPARATOR_TOKENS + count(summary);
}

/** Cuts for messages that got more room at an earlier compaction, as the question or as the newest document. */
function cutsOfEarlier(plan: CompactionPlan, input: PlanInput, maxTokens: number): CutMark[] {
  const hidden = new Set(plan.hides);
  const costs = costsOfEarlier(input);
  const cutIds = new Set([...input.marks.cuts.values()].map(({ messageId }) => messageId));
  return input.log.messages.flatMap((message) => {
    const isShown = cutIds.has(message.id) && isUserMessage(message) && !hidden.has(message.id);
    // A text that was already cut to `maxTokens` may have a few tokens more.
    const isLarge = (costs.get(message.id) ?? 0) > maxTokens * 1.2;
    return isShown && isLarge ? cutToFit(message, maxTokens, input) : [];
  });
}
