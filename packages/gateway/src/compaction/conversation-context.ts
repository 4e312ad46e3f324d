import { estimateTokens, type TokenCounter } from '@longhaul/context';
import { loadTokenizer, type Tokenizer, tokenFamilyOf } from '@longhaul/models';
import { type ChatMessage, LonghaulError } from '@longhaul/protocol';
import { continuation } from './continuation.ts';
import { BoundedMemo } from './conversation/bounded-memo.ts';
import { isSideRequest } from './conversation/side-request.ts';
import { createTokenMeter } from './conversation/token-meter.ts';
import { type CompactedRequest, ConversationCompactor, messageOf } from './conversation-compactor.ts';
import { leastRoom } from './engine/fit-conversation.ts';
import { gatewayStrategy } from './engine/gateway-strategy.ts';
import { CompactionKeeper } from './kept/compaction-keeper.ts';
import type { KeptCompaction } from './kept/kept-compaction.ts';
import { ModelRatios } from './model-ratios.ts';
import { isTooLarge, type SizedRequest, sizeRequest } from './request-size.ts';
import type { ContextSettings, ConversationContextOptions } from './settings.ts';
import { windowOfSilentCut } from './silent-cut.ts';
import { createStreamWatch } from './stream-watch.ts';
import type {
  AnswerSoFar,
  ContextNotice,
  ConversationContext,
  ConversationRequest,
  Observation,
  ObservedUsage,
  Prepared,
  PrepareOptions,
  StreamWatch,
} from './types.ts';

const DEFAULTS: Required<ContextSettings> = {
  inputThreshold: 0.8,
  warningThreshold: 0.9,
  maxRestarts: 3,
  ledgerShare: 0.2,
  compactionTimeoutMs: 120_000,
};

/** Counts of messages and texts that are remembered: some 20 MB at the most. */
const MAX_COUNTS = 100_000;
/** Below this share of the threshold a request goes out as it came, whatever was kept for its beginning. */
const KEPT_FROM = 0.8;
/** The server's own count is asked for from this share of the threshold on. */
const MEASURED_FROM = 0.5;
/** Of the window, for the part of an answer that is gone on from. */
const SO_FAR_SHARE = 0.25;

/**
 * The context of conversations that are not kept here: each request brings all of it. Nothing is remembered of a request but counts, and the
 * compactions in the cache, which the conversation's own beginning finds again.
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
  readonly #tokenizerFor: (model: string) => Promise<Tokenizer>;
  readonly #counts = new BoundedMemo<number>(MAX_COUNTS);
  readonly #ratios = new ModelRatios();
  readonly #keeper: CompactionKeeper;
  readonly #compactor: ConversationCompactor;
  /** Models whose vocabulary is at hand. */
  readonly #exact = new Set<string>();
  readonly #textCounters = new Map<string, TokenCounter>();

  constructor(options: ConversationContextOptions) {
    const { cache, askModel, compactionModel, now = Date.now } = options;
    this.#settings = { ...DEFAULTS, ...options.settings };
    this.#tokenizerFor = options.tokenizerFor ?? ((model) => loadTokenizer(tokenFamilyOf(model)));
    this.#keeper = new CompactionKeeper(cache);
    this.#compactor = new ConversationCompactor({
      keeper: this.#keeper,
      strategy: options.strategy ?? gatewayStrategy(askModel !== undefined, this.#settings.ledgerShare),
      ledgerShare: this.#settings.ledgerShare,
      now,
      modelFor: ({ request: { model, tools }, windowTokens }) => {
        if (askModel === undefined) return undefined;
        const other = compactionModel?.model === '__same__' ? undefined : compactionModel;
        return {
          ...{ askModel, tools, timeoutMs: this.#settings.compactionTimeoutMs },
          model: other?.model ?? model,
          windowTokens: other?.windowTokens ?? windowTokens,
        };
      },
    });
  }

  async prepare(request: ConversationRequest, options: PrepareOptions = {}): Promise<Prepared> {
    const sized = await this.#size(request, options);
    const isForced = options.refused !== undefined;
    const isDue = isTooLarge(sized);
    const isSide = isSideRequest(request);
    const warnings: string[] = [];
    const kept = isSide ? undefined : await this.#find(sized, { isDue: isDue || isForced, warnings });
    // With more room than it was made for, the whole conversation is better than a summary of it.
    const holds = kept !== undefined && kept.windowTokens >= sized.windowTokens;
    if (!isDue && !isForced && !holds) return this.#untouched(sized, warnings);
    const reason = isForced ? 'overflow' : sized.manager.needsRestart() ? 'tool-results' : 'threshold';
    const compacted = await this.#compactor.compact({
      ...{ sized, kept, reason, isForced, isSide, behindTokens: 0 },
      signal: options.signal,
      onStart: () => options.onNotice?.(startOf(sized)),
    });
    compacted.warnings.unshift(...warnings);
    return this.#prepared(sized, compacted, options);
  }

  async continueFrom(
    prepared: Prepared,
    soFar: AnswerSoFar,
    options: PrepareOptions = {},
  ): Promise<Prepared> {
    const { maxRestarts } = this.#settings;
    prepared.manager.markRestartNeeded();
    const restarts = prepared.restarts + 1;
    const sized = await this.#size(prepared.request, {});
    if (restarts > maxRestarts) throw tooManyRestarts(prepared, sized, maxRestarts);
    const behind = this.#behind(sized, soFar);
    const warnings: string[] = [];
    const kept = await this.#find(sized, { isDue: true, warnings });
    const compacted = await this.#compactor.compact({
      ...{ sized, kept, reason: 'stream', isForced: false, isSide: isSideRequest(sized.request) },
      behindTokens: sized.meter.messages(behind),
      signal: options.signal,
      onStart: () => options.onNotice?.(startOf(sized)),
    });
    compacted.warnings.unshift(...warnings);
    const messages = [...compacted.messages, ...behind];
    const next = this.#prepared(sized, { ...compacted, messages }, options);
    prepared.manager.resetRestartFlag();
    return { ...next, restarts };
  }

  observe(prepared: Prepared, { promptTokens, completionTokens }: ObservedUsage): Observation {
    if (!(promptTokens > 0)) return { verdict: 'as-expected' };
    const { request, messages, estimatedTokens, countedTokens, manager } = prepared;
    manager.updateUsage({ inputTokens: promptTokens, outputTokens: completionTokens ?? 0 });
    const isSure = this.#exact.has(request.model) || this.#ratios.isKnown(request.model);
    const windowTokens = windowOfSilentCut({ messages, estimatedTokens, promptTokens, isSure });
    if (windowTokens !== undefined) return { verdict: 'silently-cut', windowTokens };
    this.#ratios.learn(request.model, countedTokens, promptTokens);
    return { verdict: 'as-expected' };
  }

  watchStream(prepared: Prepared): StreamWatch {
    const { manager, estimatedTokens, request } = prepared;
    const { windowTokens } = request;
    // Counting was loaded for the request; until then, nothing has been prepared.
    const count = this.#textCounters.get(request.model) ?? estimateTokens;
    return createStreamWatch({ manager, count, inputTokens: estimatedTokens, windowTokens });
  }

  async #size(
    received: ConversationRequest,
    { refused, measure, signal }: PrepareOptions,
  ): Promise<SizedRequest> {
    const { model } = received;
    const windowTokens = Math.min(received.windowTokens, refused?.windowTokens ?? Number.POSITIVE_INFINITY);
    const request = windowTokens === received.windowTokens ? received : { ...received, windowTokens };
    const tokenizer = await this.#tokenizerFor(model);
    if (tokenizer.exact) this.#exact.add(model);
    const meter = createTokenMeter(model, tokenizer, this.#counts);
    this.#textCounters.set(model, tokenizer.count);
    const { inputThreshold, warningThreshold } = this.#settings;
    const size = () =>
      sizeRequest(request, {
        ...{ meter, windowTokens, inputThreshold, warningThreshold },
        ratio: this.#ratios.of(model),
        wasRefused: refused !== undefined,
      });
    const sized = size();
    if (refused !== undefined) this.#ratios.learnRefusal(model, sized.countedTokens, refused);
    else if (measure === undefined || this.#ratios.isKnown(model) || !isNear(sized)) return sized;
    else await this.#measure(sized, () => measure(request.messages, signal));
    return size();
  }

  async #measure(
    { request, countedTokens }: SizedRequest,
    measure: () => Promise<number | undefined>,
  ): Promise<void> {
    const tokens = await measure();
    if (tokens !== undefined) this.#ratios.learn(request.model, countedTokens, tokens);
  }

  /** A cache that fails costs a compaction, not the request. */
  async #find(
    { conversation, estimatedTokens, dueTokens }: SizedRequest,
    { isDue, warnings }: { isDue: boolean; warnings: string[] },
  ): Promise<KeptCompaction | undefined> {
    if (!isDue && estimatedTokens < dueTokens * KEPT_FROM) return undefined;
    try {
      return await this.#keeper.find(conversation.chain);
    } catch (error) {
      warnings.push(`What was kept of this conversation could not be read: ${messageOf(error)}`);
      return undefined;
    }
  }

  #untouched(sized: SizedRequest, warnings: readonly string[]): Prepared {
    const { request, manager, countedTokens, estimatedTokens } = sized;
    manager.updateUsage({ inputTokens: estimatedTokens, outputTokens: 0 });
    const { messages } = request;
    return {
      ...{ messages, isRewritten: false, estimatedTokens, countedTokens, originalTokens: estimatedTokens },
      ...{ restarts: 0, warnings, manager, request },
    };
  }

  #prepared(sized: SizedRequest, compacted: CompactedRequest, { onNotice }: PrepareOptions): Prepared {
    const { request, meter, manager, ratio, windowTokens, besideTokens, estimatedTokens: before } = sized;
    const { messages, round, isNew } = compacted;
    if (messages === request.messages) return this.#untouched(sized, compacted.warnings);
    const countedTokens = meter.messages(messages) + besideTokens;
    const after = Math.ceil(ratio * countedTokens);
    if (after + leastRoom(windowTokens) > windowTokens) throw tooLarge(after, windowTokens);
    if (isNew) onNotice?.({ kind: 'compacted', before, after, round });
    const warnings = [...compacted.warnings, ...cutResults(sized)];
    manager.updateUsage({ inputTokens: after, outputTokens: 0 });
    manager.resetRestartFlag();
    return {
      ...{ messages, isRewritten: true, estimatedTokens: after, countedTokens, originalTokens: before },
      ...(round === 0 ? {} : { compacted: { before, after, round, isFromCache: !isNew } }),
      ...{ restarts: 0, warnings, manager, request },
    };
  }

  /** What was said so far and the request to go on, within their share of the window. */
  #behind({ meter, ratio, windowTokens }: SizedRequest, soFar: AnswerSoFar): ChatMessage[] {
    const chars = Math.max(soFar.text.length, soFar.reasoning?.length ?? 0);
    const whole = continuation(soFar, chars);
    const tokens = ratio * meter.messages(whole);
    const most = windowTokens * SO_FAR_SHARE;
    return tokens <= most ? whole : continuation(soFar, Math.floor((chars * most) / tokens));
  }
}

function isNear({ estimatedTokens, dueTokens }: SizedRequest): boolean {
  return estimatedTokens >= dueTokens * MEASURED_FROM;
}

function startOf({ estimatedTokens, windowTokens }: SizedRequest): ContextNotice {
  return { kind: 'compacting', estimatedTokens, windowTokens };
}

/** Results that no window could hold were cut in their middle: whoever reads the log should know which. */
function cutResults({ manager }: SizedRequest): string[] {
  const results = manager.getLastToolResult() ?? [];
  return results
    .map((result) => manager.checkBeforeToolResponse([result]))
    .filter(({ isLargerThanWindow }) => isLargerThanWindow)
    .map(
      ({ resultTokens }) =>
        `A tool result of ${resultTokens} tokens is larger than the window: its middle was cut.`,
    );
}

function tooLarge(tokens: number, limit: number): LonghaulError {
  const text = `The conversation has ${tokens} tokens after all that could be left out, and the window of ${limit} leaves no room for an answer. Load the model with a larger window, or shorten system text, tools or the last message.`;
  return new LonghaulError('context_exhausted', text, { data: { tokens, limit } });
}

function tooManyRestarts(
  { estimatedTokens }: Prepared,
  { windowTokens }: SizedRequest,
  most: number,
): LonghaulError {
  const text = `The answer was stopped at the window's end and gone on with ${most} times, and is not finished. Ask for a shorter answer, or load the model with a larger window than ${windowTokens} tokens.`;
  return new LonghaulError('context_exhausted', text, {
    data: { tokens: estimatedTokens, limit: windowTokens, restarts: most },
  });
}
