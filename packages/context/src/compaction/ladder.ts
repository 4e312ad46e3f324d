import {
  handleOf,
  type JsonValue,
  type Mark,
  type Message,
  type Part,
  type ToolOutputContent,
} from '@longhaul/protocol';
import { activeMarks, newestRequests, partKey } from '../log.ts';
import { messageCosts } from '../strategies/keep.ts';
import { hideableMessages } from '../strategy.ts';
import { IMAGE_TOKENS } from '../tokens.ts';
import { trimNarrative } from '../trim-narrative.ts';
import { allHidden, type CompactionContext, type Draft, ledgerFor, sizeOf } from './draft.ts';

/** The rungs after the strategy, each harder than the one before. */
export const HARDER_RUNGS: readonly ((context: CompactionContext, draft: Draft) => Draft)[] = [
  pruneAll,
  shorterTail,
  smallTail,
  cutLargest,
  withoutNarrative,
  cutLargest,
];

/** A text of fewer characters is not worth a mark. */
const MIN_TEXT_CHARS = 400;
/** The fewest characters that a cut leaves, the note about the missing text included. */
const MIN_KEPT_CHARS = 200;
const DEFAULT_PROTECTED_TOOLS: ReadonlySet<string> = new Set(['todo']);

function pruneAll(context: CompactionContext, draft: Draft): Draft {
  const { pinned, pruned } = context.input.marks;
  const protectedTools = context.protectedTools ?? DEFAULT_PROTECTED_TOOLS;
  const visible = visibleMessages(context, draft);
  const lastStep = visible.findLast((message) => message.role === 'assistant');
  const marks: Mark[] = [];
  for (const message of visible) {
    if (message === lastStep || pinned.has(message.id)) continue;
    for (const [partIndex, part] of message.parts.entries()) {
      if (part.type !== 'tool' || protectedTools.has(part.name) || pruned.has(partKey(message.id, partIndex)))
        continue;
      if (outputChars(part.output ?? []) < MIN_TEXT_CHARS) continue;
      marks.push({
        kind: 'prune',
        id: context.newId(),
        messageId: message.id,
        partIndex,
        compactedAt: context.now,
      });
    }
  }
  return { ...draft, marks: [...draft.marks, ...marks] };
}

function visibleMessages(context: CompactionContext, draft: Draft): Message[] {
  const hidden = new Set(draft.hides);
  return context.log.messages.filter((message) => !hidden.has(message.id));
}

/** Share of the target at which to aim: the ledger of more hidden messages may be longer. */
const AIM = 0.96;
const ATTEMPTS = 3;

/** Hides the oldest visible messages, as many as are too many. */
function shorterTail(context: CompactionContext, draft: Draft): Draft {
  let best = draft;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const excess = sizeOf(context, best) - context.targetTokens * AIM;
    const hides = excess > 0 ? hidingOldest(context, best, excess) : best.hides;
    if (hides.length === best.hides.length) return best;
    const ledger = ledgerFor(context, hides, context.ledgerTokens);
    best = { ...best, hides, summary: { ...best.summary, ledger } };
  }
  return best;
}

function hidingOldest(context: CompactionContext, draft: Draft, excess: number): string[] {
  const visible = new Set(visibleMessages(context, draft));
  const costs = messageCosts(context.input);
  const adds: string[] = [];
  let tokens = 0;
  for (const message of beforeLastStep(context)) {
    if (tokens >= excess) break;
    if (!visible.has(message)) continue;
    adds.push(message.id);
    tokens += costs.get(message.id) ?? 0;
  }
  return allHidden(context, [...draft.hides, ...adds]);
}

/** The messages before the last step that may be hidden, without the newest requests. */
function beforeLastStep({ input }: CompactionContext): Message[] {
  const messages = hideableMessages(input);
  const lastStep = messages.findLastIndex((message) => message.role === 'assistant');
  const newest = newestRequests(messages);
  return messages.filter((message, index) => index < lastStep && !newest.includes(message));
}

/**
 * Hides everything before the last step except the newest requests. The narrative loses as many of its last sentences
 * as are too many. If that is not enough, the ledger loses its tail, too: together they keep at least half of the
 * ledger's tokens, and each at least a quarter.
 */
function smallTail(context: CompactionContext, draft: Draft): Draft {
  const hides = allHidden(
    context,
    beforeLastStep(context).map(({ id }) => id),
  );
  const quarter = Math.floor(context.ledgerTokens / 4);
  const least = Math.min(quarter, context.count(draft.summary.narrative));
  const shorter = shorterNarrative(context, { ...draft, hides }, least);
  if (shorter !== undefined) return shorter;
  const narrative = trimNarrative(draft.summary.narrative, quarter, context.count);
  return shorterLedger(context, { ...draft, hides, summary: { ...draft.summary, narrative } }, quarter);
}

/** The ledger loses as many tokens as are too many, but not more than half of them together with the narrative. */
function shorterLedger(context: CompactionContext, draft: Draft, quarter: number): Draft {
  const { narrative } = draft.summary;
  const least = 2 * quarter - Math.min(quarter, context.count(narrative));
  const whole = ledgerFor(context, draft.hides, context.ledgerTokens);
  const summary = { ledger: whole, narrative };
  const excess = sizeOf(context, { ...draft, summary }) - context.targetTokens * AIM;
  const left = Math.floor(Math.min(context.ledgerTokens, context.count(whole) - excess));
  const ledger = excess <= 0 ? whole : ledgerFor(context, draft.hides, Math.max(least, left));
  return { ...draft, summary: { ledger, narrative } };
}

/** Returns undefined if the narrative would have fewer tokens than `least`. */
function shorterNarrative(context: CompactionContext, draft: Draft, least: number): Draft | undefined {
  const ledger = ledgerFor(context, draft.hides, context.ledgerTokens);
  const whole = { ...draft, summary: { ...draft.summary, ledger } };
  const excess = Math.max(0, sizeOf(context, whole) - context.targetTokens * AIM);
  const left = Math.floor(context.count(draft.summary.narrative) - excess);
  if (left < least) return undefined;
  const narrative = trimNarrative(draft.summary.narrative, left, context.count);
  return { ...whole, summary: { ...whole.summary, narrative } };
}

/** Only the ledger is left, with half of its tokens. */
function withoutNarrative(context: CompactionContext, draft: Draft): Draft {
  const ledger = ledgerFor(context, draft.hides, Math.floor(context.ledgerTokens / 2));
  return { ...draft, summary: { ledger, narrative: '' } };
}

interface LongPart {
  messageId: string;
  partIndex: number;
  chars: number;
}

/**
 * Cuts the largest texts, all to the same length: the largest length at which the request fits. Texts differ in how
 * many characters a token has, so that length is found by bisection.
 */
function cutLargest(context: CompactionContext, draft: Draft): Draft {
  const parts = longParts(context, draft);
  let low = MIN_KEPT_CHARS;
  let best = cutTo(context, draft, { parts, keepChars: low });
  if (sizeOf(context, best) >= context.targetTokens) return best;
  let high = Math.min(context.targetTokens * 8, Math.max(low, ...parts.map((part) => part.chars)));
  while (high - low > low * 0.1 && high - low > 20) {
    const middle = Math.floor((low + high) / 2);
    const next = cutTo(context, draft, { parts, keepChars: middle });
    if (sizeOf(context, next) < context.targetTokens * CUT_MARGIN) {
      best = next;
      low = middle;
    } else high = middle;
  }
  return best;
}

/** Leaves room for the next step, which would otherwise compact again at once. */
const CUT_MARGIN = 0.9;

function cutTo(
  context: CompactionContext,
  draft: Draft,
  { parts, keepChars }: { parts: readonly LongPart[]; keepChars: number },
): Draft {
  const cut = parts.filter((part) => part.chars > keepChars);
  const replaced = new Set(cut.map(({ messageId, partIndex }) => partKey(messageId, partIndex)));
  const kept = draft.marks.filter(
    (mark) => mark.kind !== 'cut' || !replaced.has(partKey(mark.messageId, mark.partIndex)),
  );
  const marks = cut.map(({ messageId, partIndex }): Mark => {
    return { kind: 'cut', id: context.newId(), messageId, partIndex, keepChars, createdAt: context.now };
  });
  return { ...draft, marks: [...kept, ...marks] };
}

/**
 * Returns the parts that a cut would make smaller, with their lengths in the current view: earlier cuts and prunings
 * count.
 */
function longParts(context: CompactionContext, draft: Draft): LongPart[] {
  const { cuts, pruned } = activeMarks([...context.log.marks, ...draft.marks]);
  const kept = context.ledger.foldOf(context.log.messages).kept?.handle;
  return visibleMessages(context, draft).flatMap((message) =>
    message.parts.flatMap((part, partIndex) => {
      if (context.isSentWhole?.(part) === true || handleOf(message.sequence, partIndex) === kept) return [];
      const key = partKey(message.id, partIndex);
      const chars = Math.min(
        cuttableChars(part, pruned.has(key)),
        cuts.get(key)?.keepChars ?? Number.POSITIVE_INFINITY,
      );
      return chars < MIN_TEXT_CHARS ? [] : [{ messageId: message.id, partIndex, chars }];
    }),
  );
}

function cuttableChars(part: Part, isPruned: boolean): number {
  if (part.type === 'text') return part.text.length;
  if (part.type === 'notice') return part.forModel ? part.text.length : 0;
  if (part.type !== 'tool') return 0;
  return Math.max(longestString(part.input), isPruned ? 0 : outputChars(part.output ?? []));
}

function longestString(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((longest, item) => Math.max(longest, longestString(item)), 0);
}

/** Media count as text with as many tokens. */
function outputChars(output: readonly ToolOutputContent[]): number {
  return output.reduce(
    (sum, content) => sum + (content.type === 'text' ? content.text.length : IMAGE_TOKENS * 4),
    0,
  );
}
