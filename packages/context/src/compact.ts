import {
  type Compaction,
  type CompactionReason,
  LonghaulError,
  type Mark,
  type Message,
} from '@longhaul/protocol';
import { type Budget, triggerTokens } from './budget.ts';
import { buildLedger } from './ledger/ledger.ts';
import { activeMarks, type ContextLog, firstUserMessage, isUserMessage, partKey } from './log.ts';
import {
  checkNarrative,
  type NarrativeOptions,
  prefixRequest,
  type Summarise,
  transcriptChunks,
  transcriptRequest,
} from './narrative.ts';
import type { RequestMeter } from './request-size.ts';
import { type CompressionStrategy, hideableMessages, type PlanInput } from './strategy.ts';
import type { TokenCounter } from './tokens.ts';
import { buildView, textOfOutput, type ViewEntry } from './view.ts';

export interface CompactOptions {
  log: ContextLog;
  budget: Budget;
  meter: RequestMeter;
  strategy: CompressionStrategy;
  reason: CompactionReason;
  count: TokenCounter;
  /** Share of the message budget that the ledger may take. */
  ledgerShare: number;
  /** Absent: the ledger stands alone. */
  summarise?: Summarise;
  /** Where ids and times come from: this package has neither a clock nor chance. */
  newId: () => string;
  now: number;
}

export type CompactOutcome =
  | {
      status: 'compacted';
      compaction: Omit<Compaction, 'kind' | 'sessionId'>;
      /** Prune and cut marks that belong to it. */
      marks: Mark[];
      /** Things a person should know, such as a rejected narrative. */
      warnings: string[];
    }
  | { status: 'exhausted'; error: LonghaulError };

/** A rung that saves less than this share does not count. */
const MIN_PROGRESS = 0.05;

interface Draft {
  hides: string[];
  marks: Mark[];
  summary: { ledger: string; narrative: string };
}

/**
 * Makes room: the strategy first, then ever harder rungs until the next request is below the trigger; fails honestly when
 * none gets it there. Changes nothing: what it returns are marks to be stored.
 *
 * Rungs: the strategy · prune all outputs but the last step's · ledger alone with a small tail · cut the largest remaining texts in
 * their middle.
 */
export async function compact(options: CompactOptions): Promise<CompactOutcome> {
  const context = createContext(options);
  const warnings: string[] = [];
  let best = await strategyDraft(context, warnings);
  for (const harder of [pruneAll, smallTail, cutLargest]) {
    if (sizeOf(context, best) < context.targetTokens) break;
    const next = harder(context, best);
    if (sizeOf(context, next) <= sizeOf(context, best)) best = next;
  }
  const tokensAfter = sizeOf(context, best);
  const hasProgress = tokensAfter <= context.tokensBefore * (1 - MIN_PROGRESS);
  if (tokensAfter >= context.targetTokens || !hasProgress) return exhausted(context, tokensAfter);
  return {
    status: 'compacted',
    compaction: toCompaction(context, best, tokensAfter),
    marks: best.marks,
    warnings,
  };
}

interface Context extends CompactOptions {
  input: PlanInput;
  tokensBefore: number;
  /** The request must be under this after it. */
  targetTokens: number;
  ledgerTokens: number;
  compactionId: string;
}

function createContext(options: CompactOptions): Context {
  const marks = activeMarks(options.log.marks);
  const entries = buildView(options.log);
  const round = (marks.compaction?.round ?? 0) + 1;
  const { log, budget, meter, strategy } = options;
  return {
    ...options,
    input: { log, marks, entries, budget, meter, round },
    tokensBefore: meter.requestTokens(entries, budget.fixedTokens),
    targetTokens: Math.min(triggerTokens(strategy.trigger, budget), budget.usableTokens),
    ledgerTokens: Math.floor(budget.messageTokens * options.ledgerShare),
    compactionId: options.newId(),
  };
}

async function strategyDraft(context: Context, warnings: string[]): Promise<Draft> {
  const plan = await context.strategy.plan(context.input);
  const marks = plan.marks.map((mark) => ({ ...mark, id: context.newId(), createdAt: context.now }) as Mark);
  const hides = allHidden(context, plan.hides);
  const ledger = ledgerFor(context, hides, context.ledgerTokens);
  const asks = plan.wantsNarrative && plan.hides.length > 0;
  const previous = context.input.marks.compaction?.summary.narrative ?? '';
  const narrative = asks ? await writeNarrative(context, plan.hides, warnings) : previous;
  return { hides, marks, summary: { ledger, narrative } };
}

/** What is hidden after it: what was hidden before, and what the plan adds, in the log's order. */
function allHidden(context: Context, adds: readonly string[]): string[] {
  const hidden = new Set([...context.input.marks.hidden, ...adds]);
  return context.log.messages.filter((message) => hidden.has(message.id)).map((message) => message.id);
}

function ledgerFor(context: Context, hides: readonly string[], maxTokens: number): string {
  if (hides.length === 0) return '';
  const hidden = new Set(hides);
  const verbatim = new Set(
    context.log.messages.filter((message) => !hidden.has(message.id)).map(({ id }) => id),
  );
  return buildLedger(context.log.messages, { maxTokens, count: context.count, verbatim });
}

/** Asks for a narrative: at the end of the session's own prefix where that fits, else about a transcript, in pieces. */
async function writeNarrative(
  context: Context,
  hides: readonly string[],
  warnings: string[],
): Promise<string> {
  const { summarise, budget, count, input } = context;
  const previous = input.marks.compaction?.summary.narrative ?? '';
  if (summarise === undefined) return previous;
  const maxTokens = Math.max(150, Math.min(2_000, Math.floor(budget.messageTokens * 0.1)));
  const options: NarrativeOptions = {
    maxTokens,
    previous,
    count,
    inputTokens: budget.usableTokens - maxTokens,
  };
  const hidden = new Set(hides);
  const hiddenEntries = input.entries.filter(
    (entry) => entry.source !== undefined && hidden.has(entry.source.id),
  );
  const hiddenTokens = hiddenEntries.reduce(
    (sum, entry) => sum + input.meter.messageTokens(entry.message),
    0,
  );
  const limits = { hiddenTokens, maxTokens, count };

  if (prefixFits(context, maxTokens)) {
    const checked = checkNarrative(await summarise(prefixRequest(input.entries, options)), limits);
    if (checked.accepted) return checked.text;
  }
  let narrative = previous;
  for (const chunk of transcriptChunks(
    hiddenEntries.map((entry) => entry.message),
    options,
  )) {
    const request = transcriptRequest(chunk, { ...options, previous: narrative });
    const checked = checkNarrative(await summarise(request), limits);
    if (!checked.accepted) {
      warnings.push(`No new narrative: ${checked.reason}. The ledger stands alone.`);
      return narrative;
    }
    narrative = checked.text;
  }
  return narrative;
}

const INSTRUCTION_TOKENS = 250;

function prefixFits(context: Context, maxTokens: number): boolean {
  const needed = context.tokensBefore + INSTRUCTION_TOKENS + maxTokens;
  return needed <= context.budget.windowTokens * 0.97;
}

function pruneAll(context: Context, draft: Draft): Draft {
  const lastStep = context.log.messages.findLast((message) => message.role === 'assistant');
  const hidden = new Set(draft.hides);
  const marks: Mark[] = [];
  for (const message of context.log.messages) {
    if (message === lastStep || hidden.has(message.id)) continue;
    for (const [partIndex, part] of message.parts.entries()) {
      if (part.type !== 'tool' || textOfOutput(part.output ?? []).length < 400) continue;
      if (context.input.marks.pruned.has(partKey(message.id, partIndex))) continue;
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

/** Hides all but the last step and the newest user message; half the ledger, no narrative. */
function smallTail(context: Context, draft: Draft): Draft {
  const messages = hideableMessages(context.input);
  const lastStep = messages.findLast((message) => message.role === 'assistant');
  const newestUser = messages.findLast(isUserMessage);
  const adds = messages
    .filter((message) => message !== lastStep && message !== newestUser)
    .map(({ id }) => id);
  const hides = allHidden(context, adds);
  const ledger = ledgerFor(context, hides, Math.floor(context.ledgerTokens / 2));
  return { hides, marks: draft.marks, summary: { ledger, narrative: '' } };
}

/** Cuts the texts that take most, all to the same length, so that they fit into what is left. */
function cutLargest(context: Context, draft: Draft): Draft {
  const hidden = new Set(draft.hides);
  const visible = context.log.messages.filter((message) => !hidden.has(message.id));
  const texts = visible.flatMap((message) => textsOf(message));
  const excess = sizeOf(context, draft) - context.targetTokens * 0.9;
  const chars = texts.reduce((sum, text) => sum + text.chars, 0);
  const tokens = texts.reduce(
    (sum, text) => sum + Math.ceil(context.count(text.text) * context.meter.ratio),
    0,
  );
  if (texts.length === 0 || tokens <= excess) return draft;
  const limit = commonLimit(
    texts.map((text) => text.chars),
    chars * (1 - excess / tokens),
  );
  const marks: Mark[] = texts
    .filter((text) => text.chars > limit)
    .map(({ messageId, partIndex }) => ({
      kind: 'cut',
      id: context.newId(),
      messageId,
      partIndex,
      keepChars: Math.max(200, Math.floor(limit) - 120),
      createdAt: context.now,
    }));
  return { ...draft, marks: [...draft.marks, ...marks] };
}

function textsOf(message: Message): { messageId: string; partIndex: number; chars: number; text: string }[] {
  return message.parts.flatMap((part, partIndex) => {
    const text =
      part.type === 'text' ? part.text : part.type === 'tool' ? textOfOutput(part.output ?? []) : '';
    return text.length < 400 ? [] : [{ messageId: message.id, partIndex, chars: text.length, text }];
  });
}

/** The length to which the longer ones are cut so that all together have `total`. */
function commonLimit(lengths: readonly number[], total: number): number {
  const sorted = lengths.toSorted((left, right) => left - right);
  let left = total;
  for (const [index, length] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function sizeOf(context: Context, draft: Draft): number {
  return context.meter.requestTokens(viewWith(context, draft), context.budget.fixedTokens);
}

function viewWith(context: Context, draft: Draft): ViewEntry[] {
  const compaction = { kind: 'compaction', sessionId: '', ...toCompaction(context, draft, 0) } as const;
  const marks = draft.hides.length === 0 ? draft.marks : [compaction, ...draft.marks];
  return buildView({ messages: context.log.messages, marks: [...context.log.marks, ...marks] });
}

function toCompaction(
  context: Context,
  draft: Draft,
  tokensAfter: number,
): Omit<Compaction, 'kind' | 'sessionId'> {
  return {
    id: context.compactionId,
    round: context.input.round,
    strategy: context.strategy.name,
    reason: context.reason,
    tokensBefore: context.tokensBefore,
    tokensAfter,
    summary: draft.summary,
    hides: draft.hides,
    createdAt: context.now,
  };
}

function exhausted(context: Context, tokensAfter: number): CompactOutcome {
  const { budget, meter, log } = context;
  const first = firstUserMessage(log.messages);
  const last = log.messages.at(-1);
  const sizes = {
    windowTokens: budget.windowTokens,
    usableTokens: budget.usableTokens,
    fixedTokens: budget.fixedTokens,
    firstMessageTokens: sourceTokens(context, first),
    lastMessageTokens: sourceTokens(context, last),
    tokensBefore: context.tokensBefore,
    tokensAfter,
  };
  const message =
    `The context cannot be made small enough: the smallest request would have ${tokensAfter} tokens, and at most ${context.targetTokens} fit ` +
    `(window ${budget.windowTokens}). System text and tools take ${Math.ceil(budget.fixedTokens * meter.ratio)}, the task ${sizes.firstMessageTokens}, ` +
    `the last message ${sizes.lastMessageTokens}. Use a model with a larger window, fewer tools, or shorter instructions.`;
  return { status: 'exhausted', error: new LonghaulError('context_exhausted', message, { data: sizes }) };
}

function sourceTokens(context: Context, message: Message | undefined): number {
  const entry = context.input.entries.find(
    (candidate) => candidate.source === message && message !== undefined,
  );
  return entry === undefined ? 0 : context.meter.messageTokens(entry.message);
}
