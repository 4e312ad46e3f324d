import {
  type Compaction,
  type CompactionReason,
  type JsonValue,
  LonghaulError,
  type Mark,
  type Message,
  type Part,
  type ToolOutputContent,
} from '@longhaul/protocol';
import { type Budget, ledgerTokens, triggerTokens } from './budget.ts';
import { renderLedger } from './ledger/ledger.ts';
import { createLedgerKeeper, type LedgerKeeper } from './ledger/ledger-keeper.ts';
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
import { IMAGE_TOKENS, type TokenCounter } from './tokens.ts';
import { buildView, type ViewEntry } from './view.ts';

export interface CompactOptions {
  log: ContextLog;
  budget: Budget;
  meter: RequestMeter;
  strategy: CompressionStrategy;
  reason: CompactionReason;
  count: TokenCounter;
  /** Share of the message budget that the ledger may take. */
  ledgerShare: number;
  /** Kept by the caller between compactions of one session. Absent: the whole log is read. */
  ledger?: LedgerKeeper;
  /**
   * Absent: the ledger stands alone. What it throws, as on a cancel, is thrown on: a cancelled compaction leaves nothing behind and
   * does not try another way.
   */
  summarise?: Summarise;
  /** Tools whose outputs are not pruned. Default: `todo`, whose newest result is the plan. */
  protectedTools?: ReadonlySet<string>;
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
  let tokensAfter = sizeOf(context, best);
  for (const harder of isWished(context) ? [] : [pruneAll, smallTail, cutLargest]) {
    if (isEnough(context, tokensAfter)) break;
    const next = harder(context, best);
    const size = sizeOf(context, next);
    if (!isEnough(context, size) && size > tokensAfter * (1 - MIN_PROGRESS)) continue;
    best = next;
    tokensAfter = size;
  }
  if (!isEnough(context, tokensAfter)) return exhausted(context, tokensAfter);
  return {
    status: 'compacted',
    compaction: toCompaction(context, best, tokensAfter),
    marks: best.marks.map((mark) => ({ ...mark, compactionId: context.compactionId })),
    warnings,
  };
}

/** Below the trigger, and far enough from where it was that the next step does not ask again. */
function isEnough({ targetTokens, tokensBefore }: Context, tokens: number): boolean {
  return tokens < targetTokens && tokens <= tokensBefore * (1 - MIN_PROGRESS);
}

/** Asked for by a person while there is room: nothing is cut or pruned only to have compacted something. */
function isWished({ reason, targetTokens, tokensBefore }: Context): boolean {
  return reason === 'manual' && tokensBefore < targetTokens;
}

interface Context extends CompactOptions {
  ledger: LedgerKeeper;
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
    ledger: options.ledger ?? createLedgerKeeper(),
    // Real tokens, as everything here is measured in.
    count: (text) => Math.ceil(options.count(text) * meter.ratio),
    input: { log, marks, entries, budget, meter, round },
    tokensBefore: meter.requestTokens(entries, budget.fixedTokens),
    targetTokens: Math.min(triggerTokens(strategy.trigger, budget), budget.usableTokens),
    ledgerTokens: ledgerTokens(budget, options.ledgerShare),
    compactionId: options.newId(),
  };
}

async function strategyDraft(context: Context, warnings: string[]): Promise<Draft> {
  const plan = await context.strategy.plan(context.input);
  const marks = plan.marks.map((mark) => ({ ...mark, id: context.newId(), createdAt: context.now }) as Mark);
  const hides = allHidden(context, plan.hides);
  const ledger = ledgerFor(context, hides, context.ledgerTokens);
  const adds = hides.filter((id) => !context.input.marks.hidden.has(id));
  const asks = plan.wantsNarrative && adds.length > 0;
  const previous = context.input.marks.compaction?.summary.narrative ?? '';
  const narrative = asks ? await writeNarrative(context, adds, warnings) : previous;
  return { hides, marks, summary: { ledger, narrative } };
}

/**
 * What is hidden after it: what was hidden before, and what the plan adds, in the log's order. Never the first user message and
 * what is pinned, whatever a strategy says.
 */
function allHidden({ input, log }: Context, adds: readonly string[]): string[] {
  const hidden = new Set([...input.marks.hidden, ...adds]);
  const first = firstUserMessage(log.messages);
  return log.messages
    .filter((message) => hidden.has(message.id) && message !== first && !input.marks.pinned.has(message.id))
    .map((message) => message.id);
}

function ledgerFor(context: Context, hides: readonly string[], maxTokens: number): string {
  if (hides.length === 0) return '';
  const hidden = new Set(hides);
  const verbatim = new Set(
    context.log.messages.filter((message) => !hidden.has(message.id)).map(({ id }) => id),
  );
  const visibleFrom = firstOfVisibleTail(context.log.messages, hidden);
  const fold = context.ledger.foldOf(context.log.messages);
  return renderLedger(fold, { maxTokens, count: context.count, verbatim, visibleFrom });
}

/** Sequence of the first message behind which none is hidden. */
function firstOfVisibleTail(messages: readonly Message[], hidden: ReadonlySet<string>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const message of messages.toReversed()) {
    if (hidden.has(message.id)) break;
    first = message.sequence;
  }
  return first;
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
  const limits = { hiddenTokens: hiddenTokens + count(previous), maxTokens, count };

  const prefix = prefixUpTo(input.entries, hiddenEntries.at(-1));
  if (prefixFits(context, prefix, maxTokens)) {
    const checked = checkNarrative(await summarise(prefixRequest(prefix, options)), limits);
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
      const rest = narrative === '' ? 'The ledger stands alone' : 'The narrative so far stays';
      warnings.push(`No new narrative: ${checked.reason}. ${rest}.`);
      return narrative;
    }
    narrative = checked.text;
  }
  return narrative;
}

const INSTRUCTION_TOKENS = 250;

/** The session up to the newest message to be hidden: what is kept is not folded in. */
function prefixUpTo(entries: readonly ViewEntry[], last: ViewEntry | undefined): ViewEntry[] {
  return last === undefined ? [] : entries.slice(0, entries.indexOf(last) + 1);
}

function prefixFits(context: Context, prefix: readonly ViewEntry[], maxTokens: number): boolean {
  const tokens = context.meter.requestTokens(prefix, context.budget.fixedTokens);
  const needed = tokens + INSTRUCTION_TOKENS + maxTokens;
  return prefix.length > 0 && needed <= context.budget.windowTokens * 0.97;
}

/** Characters below which a text is not worth a mark. */
const MIN_TEXT_CHARS = 400;
/** Characters that a cut leaves at the least, the remark about what is missing included. */
const MIN_KEPT_CHARS = 200;
const DEFAULT_PROTECTED_TOOLS: ReadonlySet<string> = new Set(['todo']);

function pruneAll(context: Context, draft: Draft): Draft {
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

function visibleMessages(context: Context, draft: Draft): Message[] {
  const hidden = new Set(draft.hides);
  return context.log.messages.filter((message) => !hidden.has(message.id));
}

/** Hides all before the last step but the newest user message; half the ledger, no narrative. */
function smallTail(context: Context, draft: Draft): Draft {
  const messages = hideableMessages(context.input);
  const lastStep = messages.findLastIndex((message) => message.role === 'assistant');
  const newestUser = messages.findLast(isUserMessage);
  const adds = messages
    .filter((message, index) => index < lastStep && message !== newestUser)
    .map(({ id }) => id);
  const hides = allHidden(context, adds);
  const ledger = ledgerFor(context, hides, Math.floor(context.ledgerTokens / 2));
  return { hides, marks: draft.marks, summary: { ledger, narrative: '' } };
}

interface LongPart {
  messageId: string;
  partIndex: number;
  chars: number;
}

/**
 * Cuts the texts that take most, all to the same length: the longest at which the request fits, found by halving, since texts
 * differ in how many characters a token has.
 */
function cutLargest(context: Context, draft: Draft): Draft {
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

/** Leaves room for the next step, which would else have to compact again at once. */
const CUT_MARGIN = 0.9;

function cutTo(
  context: Context,
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

/** The parts that a cut would make smaller, with their length as it is shown now: earlier cuts and prunings count. */
function longParts(context: Context, draft: Draft): LongPart[] {
  const { cuts, pruned } = activeMarks([...context.log.marks, ...draft.marks]);
  return visibleMessages(context, draft).flatMap((message) =>
    message.parts.flatMap((part, partIndex) => {
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
  if (part.type !== 'tool') return 0;
  return Math.max(longestString(part.input), isPruned ? 0 : outputChars(part.output ?? []));
}

function longestString(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((longest, item) => Math.max(longest, longestString(item)), 0);
}

/** Media count as the text that costs as much. */
function outputChars(output: readonly ToolOutputContent[]): number {
  return output.reduce(
    (sum, content) => sum + (content.type === 'text' ? content.text.length : IMAGE_TOKENS * 4),
    0,
  );
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
  const problem =
    tokensAfter < context.targetTokens
      ? `Compacting would save almost nothing: the request has ${context.tokensBefore} tokens and would have ${tokensAfter} `
      : `The context cannot be made small enough: the smallest request would have ${tokensAfter} tokens, and fewer than ${context.targetTokens} fit `;
  const message =
    problem +
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
