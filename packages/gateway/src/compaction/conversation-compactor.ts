import { buildView, type CompressionStrategy, nextDue } from '@longhaul/context';
import type { ChatMessage, CompactionReason, Mark } from '@longhaul/protocol';
import { BoundedMemo } from './conversation/bounded-memo.ts';
import { ConversationLog } from './engine/conversation-log.ts';
import { type Fit, type FitInput, fitConversation, needsCompaction } from './engine/fit-conversation.ts';
import { SharedWork } from './engine/shared-work.ts';
import type { CompactionKeeper } from './kept/compaction-keeper.ts';
import { coverageOf } from './kept/coverage.ts';
import { type KeptCompaction, marksFor, toKept } from './kept/kept-compaction.ts';
import { mostTokens } from './output-room.ts';
import { ownerOf, type SizedRequest } from './request-size.ts';

export interface CompactorOptions {
  keeper: CompactionKeeper;
  strategy: CompressionStrategy;
  ledgerShare: number;
  modelFor: (sized: SizedRequest) => FitInput['model'];
  now: () => number;
}

export interface CompactRequest {
  sized: SizedRequest;
  kept: KeptCompaction | undefined;
  reason: CompactionReason;
  isForced: boolean;
  /** Tokens of what will stand behind the conversation, as counted. */
  behindTokens: number;
  /** Nobody goes on from it: nothing is kept for later. */
  isSide: boolean;
  signal?: AbortSignal | undefined;
  onStart: () => void;
}

/** A request, and whether what was kept makes it small enough. */
export interface LookedAt {
  readonly request: CompactRequest;
  readonly log: ConversationLog;
  readonly marks: Mark[];
  readonly isEnough: boolean;
}

export interface CompactedRequest {
  messages: readonly ChatMessage[];
  /** The newest compaction's; 0 when nothing is hidden or cut. */
  round: number;
  isNew: boolean;
  warnings: string[];
}

const MAX_FUTILE = 10_000;
/** Places in a conversation that are looked at for a compaction that was of no use. */
const FUTILE_LOOKBACK = 100;

/** Makes requests smaller: with what was kept for their beginning, and by a new compaction where that is not enough. */
export class ConversationCompactor {
  readonly #options: CompactorOptions;
  readonly #running = new SharedWork<Fit>();
  /** Where compacting was of no use, and from how many tokens on it is tried again: else each turn would ask a model for nothing. */
  readonly #futile = new BoundedMemo<number>(MAX_FUTILE);

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** @throws {LonghaulError} `invalid_request` for a role that does not exist. */
  look(request: CompactRequest): LookedAt {
    const { sized, kept, isForced } = request;
    const { windowTokens, conversation } = sized;
    const { maxTokens } = sized.request;
    const most = mostTokens({ windowTokens, maxTokens });
    const log = ConversationLog.of(conversation);
    const chain = new Set(conversation.chain);
    const marks = kept === undefined ? [] : marksFor(kept, { chain, windowTokens, mostTokens: most });
    return { request, log, marks, isEnough: !isForced && this.#isEnough(request, log, marks) };
  }

  /** @throws {LonghaulError} `context_exhausted`, `cancelled`. */
  async compact({ request, log, marks, isEnough }: LookedAt): Promise<CompactedRequest> {
    if (isEnough) return this.#shown(request, log, { marks });
    request.onStart();
    const fit = await this.#running.run(workKey(request), request.signal, (signal) =>
      this.#fit(request, this.#input(request, { log, marks, signal })),
    );
    return this.#shown(request, log, fit);
  }

  #isEnough(request: CompactRequest, log: ConversationLog, marks: readonly Mark[]): boolean {
    const { sized } = request;
    if (this.#isFutile(sized)) return true;
    // A request as it came, that is known to be too large.
    if (marks.length === 0 && request.behindTokens === 0) return false;
    return !needsCompaction(this.#input(request, { log, marks, signal: NEVER }));
  }

  #isFutile({ conversation, estimatedTokens }: SizedRequest): boolean {
    const places = conversation.chain.slice(-FUTILE_LOOKBACK).toReversed();
    const from = places.map((hash) => this.#futile.get(hash)).find((tokens) => tokens !== undefined);
    return from !== undefined && estimatedTokens < from;
  }

  async #fit(request: CompactRequest, input: FitInput): Promise<Fit> {
    const fit = await fitConversation(input);
    const { conversation, windowTokens, estimatedTokens } = request.sized;
    const last = conversation.chain.at(-1);
    if (fit.isExhausted && last !== undefined)
      this.#futile.set(last, Math.min(nextDue(estimatedTokens), windowTokens));
    if (fit.isCompacted && !request.isSide) await this.#keep(request, input.log, fit);
    return fit;
  }

  async #keep({ sized }: CompactRequest, log: ConversationLog, fit: Fit): Promise<void> {
    const { conversation, request } = sized;
    const kept = toKept(fit.marks, {
      windowTokens: sized.windowTokens,
      chainAt: (messageId) => log.chainAt(messageId),
    });
    const last = kept?.compaction.hides.at(-1) ?? kept?.marks.at(-1)?.mark.messageId;
    if (kept === undefined || last === undefined) return;
    const coverage = coverageOf(kept, conversation, log);
    const place = { length: log.lengthAt(last), kept: { ...kept, coverage }, owner: ownerOf(request) };
    try {
      await this.#options.keeper.keep(conversation.chain, place);
    } catch (error) {
      fit.warnings.push(`The compaction could not be kept for later: ${messageOf(error)}`);
    }
  }

  #input(
    { sized, reason, isForced, behindTokens }: CompactRequest,
    { log, marks, signal }: Pick<FitInput, 'log' | 'marks' | 'signal'>,
  ): FitInput {
    const { request, conversation, meter, windowTokens, dueTokens, ratio } = sized;
    const { strategy, ledgerShare, modelFor, now } = this.#options;
    const besideTokens = sized.besideTokens + behindTokens;
    const model = modelFor(sized);
    return {
      ...{ request, log, marks, windowTokens, dueTokens, meter, ratio, besideTokens, reason, isForced },
      ...{ strategy, ledgerShare, signal, now: now() },
      fixedTokens: besideTokens + meter.messages(conversation.head),
      ...(model === undefined ? {} : { model }),
    };
  }

  #shown(
    { sized }: CompactRequest,
    log: ConversationLog,
    { marks, isCompacted = false, warnings = [] }: Partial<Fit> & Pick<Fit, 'marks'>,
  ): CompactedRequest {
    const { request } = sized;
    if (marks.length === 0) return { messages: request.messages, round: 0, isNew: false, warnings };
    const messages = log.render(buildView(log.withMarks(marks)), request.strictRoles);
    const round = marks.findLast((mark) => mark.kind === 'compaction')?.round ?? 0;
    return { messages, round, isNew: isCompacted, warnings };
  }
}

const NEVER = new AbortController().signal;

/** Requests for which one compaction is as good as two. */
function workKey({ sized, reason, behindTokens, isForced }: CompactRequest): string {
  const { conversation, request, windowTokens, dueTokens, besideTokens, meter } = sized;
  const fixed = besideTokens + behindTokens + meter.messages(conversation.head);
  return [conversation.chain.at(-1), request.model, windowTokens, dueTokens, fixed, reason, isForced].join(
    ' ',
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
