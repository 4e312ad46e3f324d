import { loadTokenizer, tokenFamilyOf } from '@longhaul/models';
import type { ChatMessage, CompactionReason } from '@longhaul/protocol';
import type { AgentContextManager } from '../agent-context-manager.ts';
import { tooManyRestarts } from './context-errors.ts';
import { continuationWithin } from './continuation.ts';
import { firstUnknownRole } from './conversation/chat-format.ts';
import { withReasoningField } from './conversation/reasoning-field.ts';
import { isSideRequest } from './conversation/side-request.ts';
import { hasUncountedParts } from './conversation/uncounted-parts.ts';
import {
  type CompactedRequest,
  ConversationCompactor,
  type LookedAt,
  messageOf,
} from './conversation-compactor.ts';
import { ConversationLog } from './engine/conversation-log.ts';
import { gatewayStrategy } from './engine/gateway-strategy.ts';
import { CompactionKeeper } from './kept/compaction-keeper.ts';
import type { KeptCompaction } from './kept/kept-compaction.ts';
import { RenewalBook } from './kept/renewal-book.ts';
import type { KnownModel } from './known-model.ts';
import { ModelBook } from './model-book.ts';
import { rewritten, untouched } from './prepared.ts';
import { isTooLarge, ownerOf, placesOf, type SizedRequest } from './request-size.ts';
import { type ContextSettings, type ConversationContextOptions, DEFAULT_THRESHOLDS } from './settings.ts';
import { windowOfSilentCut } from './silent-cut.ts';
import { createStreamWatch } from './stream-watch.ts';
import type {
  AnswerSoFar,
  ConversationContext,
  ConversationRequest,
  Observation,
  ObservedUsage,
  Prepared,
  PrepareOptions,
  StreamWatch,
} from './types.ts';

const DEFAULTS: Required<ContextSettings> = {
  ...DEFAULT_THRESHOLDS,
  maxRestarts: 3,
  ledgerShare: 0.2,
  compactionTimeoutMs: 120_000,
};

/** Below this share of the threshold a request is sent unchanged, even if a compaction of its beginning is stored. */
const KEPT_FROM = 0.8;

/**
 * Creates a context for conversations that are not stored here: each request contains the whole conversation. The
 * context remembers only token counts, and compactions in the cache. It finds a compaction again by hashes of the
 * conversation's beginning.
 *
 * @example
 * const context = createConversationContext({ cache: createMemoryCache() });
 * const { messages, isRewritten } = await context.prepare({ model, windowTokens: 8_192, messages: body.messages });
 */
export function createConversationContext(options: ConversationContextOptions): ConversationContext {
  return new GatewayContext(options);
}

class GatewayContext implements ConversationContext {
  readonly #settings: Required<ContextSettings>;
  readonly #models: ModelBook;
  readonly #keeper: CompactionKeeper;
  readonly #renewals = new RenewalBook();
  readonly #compactor: ConversationCompactor;
  readonly #modelOf = new WeakMap<AgentContextManager, KnownModel>();

  constructor(options: ConversationContextOptions) {
    const { cache, askModel, now = Date.now } = options;
    this.#settings = { ...DEFAULTS, ...options.settings };
    const { inputThreshold, warningThreshold, ledgerShare } = this.#settings;
    const tokenizerFor = options.tokenizerFor ?? ((model) => loadTokenizer(tokenFamilyOf(model)));
    this.#models = new ModelBook({ tokenizerFor, inputThreshold, warningThreshold });
    this.#keeper = new CompactionKeeper(cache);
    this.#compactor = new ConversationCompactor({
      keeper: this.#keeper,
      strategy: options.strategy ?? gatewayStrategy(askModel !== undefined, ledgerShare),
      ledgerShare,
      now,
      modelFor: (sized) => compactingModel(options, sized, this.#settings.compactionTimeoutMs),
    });
  }

  async prepare(request: ConversationRequest, options: PrepareOptions = {}): Promise<Prepared> {
    const sized = await this.#size(request, options);
    const isForced = options.refused !== undefined;
    const isDue = isTooLarge(sized) || isForced;
    const warnings: string[] = [];
    const kept = await this.#find(sized, { isDue, warnings });
    const noted = this.#renewals.note(sized.conversation, ownerOf(request));
    const renewed = [...new Set([...noted, ...(kept?.renewed ?? [])])];
    // If the window is larger now than at the compaction, the whole conversation is better than its summary.
    const isSmaller = kept !== undefined && kept.windowTokens < sized.windowTokens;
    const isUsable = kept !== undefined && !isSmaller;
    if (!isDue && !isUsable) return untouched(sized, warnings);
    const reason = isForced ? 'overflow' : sized.manager.needsRestart() ? 'tool-results' : 'threshold';
    const looked = this.#look(sized, { kept, renewed, reason, isForced, continuation: [] }, options);
    const { windowNow, ...rest } = options;
    const windowTokens = looked.isEnough ? undefined : await windowNow?.();
    if (windowTokens !== undefined && windowTokens !== sized.windowTokens)
      return this.prepare({ ...request, windowTokens }, rest);
    const compacted = await this.#compactor.compact(looked);
    return rewritten(sized, withWarnings(compacted, warnings), options);
  }

  async continueFrom(
    prepared: Prepared,
    soFar: AnswerSoFar,
    options: PrepareOptions = {},
  ): Promise<Prepared> {
    const { request, estimatedTokens, manager } = prepared;
    const restarts = prepared.restarts + 1;
    if (restarts > this.#settings.maxRestarts)
      throw tooManyRestarts(prepared.restarts, estimatedTokens, request.windowTokens);
    manager.markRestartNeeded();
    const sized = await this.#size(request, {});
    const continuation = continuationWithin(sized, soFar);
    const warnings: string[] = [];
    const kept = prepared.isRewritten ? await this.#find(sized, { isDue: true, warnings }) : undefined;
    const looked = this.#look(
      sized,
      { kept, renewed: [], reason: 'stream', isForced: false, continuation },
      options,
    );
    const compacted = withWarnings(await this.#compactor.compact(looked), warnings);
    const received = new Set(request.messages);
    const messages = withReasoningField([...compacted.messages, ...continuation], received);
    const next = rewritten(sized, { ...compacted, messages }, options);
    manager.resetRestartFlag();
    return { ...next, restarts };
  }

  observe(prepared: Prepared, { promptTokens, completionTokens }: ObservedUsage): Observation {
    if (!(promptTokens > 0)) return { verdict: 'as-expected' };
    const { messages, estimatedTokens, countedTokens, manager } = prepared;
    manager.updateUsage({ inputTokens: promptTokens, outputTokens: completionTokens ?? 0 });
    const model = this.#known(manager);
    if (hasUncountedParts(messages)) return { verdict: 'as-expected' };
    const { isSure } = model;
    const windowTokens = windowOfSilentCut({ estimatedTokens, countedTokens, promptTokens, isSure });
    if (windowTokens !== undefined) return { verdict: 'silently-cut', windowTokens };
    model.learn(countedTokens, promptTokens);
    return { verdict: 'as-expected' };
  }

  watchStream({ manager, estimatedTokens, request }: Prepared): StreamWatch {
    const { count } = this.#known(manager);
    const { windowTokens } = request;
    return createStreamWatch({ manager, count, inputTokens: estimatedTokens, windowTokens });
  }

  #known(manager: AgentContextManager): KnownModel {
    const model = this.#modelOf.get(manager);
    if (model === undefined) throw new TypeError('The request was prepared by another context.');
    return model;
  }

  async #size(request: ConversationRequest, options: PrepareOptions): Promise<SizedRequest> {
    const { sized, model } = await this.#models.size(request, options);
    this.#modelOf.set(sized.manager, model);
    return sized;
  }

  /** A failing cache costs a compaction, not the request. */
  async #find(
    sized: SizedRequest,
    { isDue, warnings }: { isDue: boolean; warnings: string[] },
  ): Promise<KeptCompaction | undefined> {
    const { request, conversation, estimatedTokens, dueTokens } = sized;
    if (isSideRequest(request) || (!isDue && estimatedTokens < dueTokens * KEPT_FROM)) return undefined;
    if (firstUnknownRole(request.messages) !== undefined) return undefined;
    const isUsable = ({ compaction }: KeptCompaction) =>
      ConversationLog.of(conversation).leavesQuestion(compaction.hides);
    try {
      const kept = await this.#keeper.find(placesOf(sized), { isDue, isUsable });
      if (kept !== undefined || !isDue) return kept;
      const overlapping = await this.#keeper.findOverlapping(conversation, ownerOf(request));
      return overlapping !== undefined && isUsable(overlapping) ? overlapping : undefined;
    } catch (error) {
      warnings.push(`The stored compaction of this conversation could not be read: ${messageOf(error)}`);
      return undefined;
    }
  }

  #look(
    sized: SizedRequest,
    { continuation, ...how }: HowToCompact,
    { signal, onNotice }: PrepareOptions,
  ): LookedAt {
    const { request, meter, estimatedTokens, windowTokens } = sized;
    return this.#compactor.look({
      ...how,
      sized,
      isSide: isSideRequest(request),
      continuationTokens: meter.messages(continuation),
      signal,
      onStart: () => onNotice?.({ kind: 'compacting', estimatedTokens, windowTokens }),
    });
  }
}

function withWarnings(compacted: CompactedRequest, warnings: readonly string[]): CompactedRequest {
  return { ...compacted, warnings: [...warnings, ...compacted.warnings] };
}

interface HowToCompact {
  kept: KeptCompaction | undefined;
  /** Places of the conversation that the client renews each turn. */
  renewed: readonly number[];
  reason: CompactionReason;
  isForced: boolean;
  /** Messages to append to the conversation. */
  continuation: readonly ChatMessage[];
}

function compactingModel(
  { askModel, compactionModel }: ConversationContextOptions,
  { request: { model, tools }, windowTokens }: SizedRequest,
  timeoutMs: number,
) {
  if (askModel === undefined) return undefined;
  const other = compactionModel?.model === '__same__' ? undefined : compactionModel;
  return {
    askModel,
    tools,
    timeoutMs,
    model: other?.model ?? model,
    windowTokens: other?.windowTokens?.() ?? windowTokens,
  };
}
