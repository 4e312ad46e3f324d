import { buildView, type CompressionStrategy, nextDue } from '@longhaul/context/engine';
import type { ChatMessage, Compaction, CompactionReason, Mark } from '@longhaul/protocol';
import { BoundedMemo } from './conversation/bounded-memo.ts';
import { ConversationLog, pinOf } from './engine/conversation-log.ts';
import { type Fit, type FitInput, fitConversation, needsCompaction } from './engine/fit-conversation.ts';
import { SharedWork } from './engine/shared-work.ts';
import type { CompactionKeeper } from './kept/compaction-keeper.ts';
import { coverageOf } from './kept/coverage.ts';
import { type KeptCompaction, marksFor, toKept } from './kept/kept-compaction.ts';
import { maxRequestTokens } from './output-room.ts';
import { ownerOf, placesOf, type SizedRequest } from './request-size.ts';

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
  /** Places of the conversation that the client renews each turn. */
  renewed: readonly number[];
  reason: CompactionReason;
  isForced: boolean;
  /** Counted tokens of the messages to append to the conversation. */
  continuationTokens: number;
  /** A side request, such as one for a title. No later request continues it, so its compaction is not stored. */
  isSide: boolean;
  signal?: AbortSignal | undefined;
  onStart: () => void;
}

/** A request with the marks of its stored compaction. */
export interface LookedAt {
  readonly request: CompactRequest;
  readonly log: ConversationLog;
  readonly marks: Mark[];
  /** Whether the request can be sent with these marks, without a new compaction. */
  readonly isEnough: boolean;
}

export interface CompactedRequest {
  messages: readonly ChatMessage[];
  /** The newest compaction. Absent if nothing is hidden. */
  compaction?: Compaction | undefined;
  isNew: boolean;
  warnings: string[];
}

const MAX_FUTILE = 10_000;
/** How many of the newest places of a conversation are searched for a useless compaction. */
const FUTILE_LOOKBACK = 100;

/** Makes requests smaller: with the stored compaction of their beginning and, if that is not enough, with a new one. */
export class ConversationCompactor {
  readonly #options: CompactorOptions;
  readonly #running = new SharedWork<Fit>();
  /**
   * Places where compaction did not help, with the size at which to try again. Otherwise each turn would query a model
   * in vain.
   */
  readonly #futile = new BoundedMemo<number>(MAX_FUTILE);

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** @throws {LonghaulError} `invalid_request` for a role that does not exist. */
  look(request: CompactRequest): LookedAt {
    const { sized, kept, isForced } = request;
    const { windowTokens, conversation } = sized;
    const { maxTokens } = sized.request;
    const most = maxRequestTokens({ windowTokens, maxTokens });
    const log = ConversationLog.of(conversation);
    const chain = new Set(conversation.chain);
    const marks = kept === undefined ? [] : marksFor(kept, { chain, windowTokens, maxRequestTokens: most });
    const isEnough = !isForced && this.#isEnough(request, log, marks);
    return { request, log, marks: isEnough ? marks : [...pinsOf(request, log), ...marks], isEnough };
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
    // The unchanged request is already known to be too large.
    if (marks.length === 0 && request.continuationTokens === 0) return false;
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

  async #keep({ sized, renewed }: CompactRequest, log: ConversationLog, fit: Fit): Promise<void> {
    const { conversation, request } = sized;
    const kept = toKept(fit.marks, {
      windowTokens: sized.windowTokens,
      chainAt: (messageId) => log.chainAt(messageId),
    });
    const last = kept?.compaction.hides.at(-1) ?? kept?.marks.at(-1)?.mark.messageId;
    if (kept === undefined || last === undefined) return;
    const coverage = coverageOf(kept, conversation, { log, renewed });
    const place = { length: log.lengthAt(last), kept: { ...kept, coverage }, owner: ownerOf(request) };
    try {
      await this.#options.keeper.keep(placesOf(sized), place);
    } catch (error) {
      fit.warnings.push(`The compaction could not be stored: ${messageOf(error)}`);
    }
  }

  #input(
    { sized, reason, isForced, continuationTokens }: CompactRequest,
    { log, marks, signal }: Pick<FitInput, 'log' | 'marks' | 'signal'>,
  ): FitInput {
    const { request, conversation, meter, windowTokens, dueTokens, ratio } = sized;
    const { strategy, ledgerShare, modelFor, now } = this.#options;
    const extraTokens = sized.extraTokens + continuationTokens;
    return {
      request,
      log,
      marks,
      windowTokens,
      dueTokens,
      meter,
      ratio,
      fixedTokens: extraTokens + meter.messages(conversation.head),
      extraTokens,
      reason,
      isForced,
      strategy,
      ledgerShare,
      model: modelFor(sized),
      signal,
      now: now(),
    };
  }

  #shown(
    { sized }: CompactRequest,
    log: ConversationLog,
    { marks, isCompacted = false, warnings = [] }: Partial<Fit> & Pick<Fit, 'marks'>,
  ): CompactedRequest {
    const { request } = sized;
    if (marks.length === 0) return { messages: request.messages, isNew: false, warnings };
    const messages = log.render(buildView(log.withMarks(marks)), request.strictRoles);
    const compaction = marks.findLast((mark) => mark.kind === 'compaction');
    return { messages, compaction, isNew: isCompacted, warnings };
  }
}

/** Share of the window for messages that stay because the client renews them each turn. */
const RENEWED_SHARE = 0.15;

/** What the client renews each turn stays visible in a new compaction, unless it takes too much room. */
function pinsOf({ sized, renewed }: CompactRequest, log: ConversationLog): Mark[] {
  const { conversation, meter, ratio, windowTokens } = sized;
  const spans = log
    .spans()
    .filter(({ start, end }) => renewed.some((place) => place >= start && place < end));
  const messages = spans.flatMap(({ start, end }) => conversation.rest.slice(start, end));
  const isSmall = ratio * meter.messages(messages) <= windowTokens * RENEWED_SHARE;
  return isSmall ? spans.map(({ id }) => pinOf(id)) : [];
}

const NEVER = new AbortController().signal;

/** Requests with the same key can share one compaction. */
function workKey({ sized, reason, continuationTokens, isForced }: CompactRequest): string {
  const { conversation, request, windowTokens, dueTokens, extraTokens, meter } = sized;
  const fixed = extraTokens + continuationTokens + meter.messages(conversation.head);
  return [conversation.chain.at(-1), request.model, windowTokens, dueTokens, fixed, reason, isForced].join(
    ' ',
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
