import type { ToolOutputContent } from '@longhaul/protocol';
import { IMAGE_TOKENS, MESSAGE_OVERHEAD_TOKENS, REPLY_PRIMING_TOKENS, type TokenCounter } from './tokens.ts';
import type { ViewEntry } from './view.ts';
import type { ViewAssistantPart, ViewMessage } from './view-message.ts';

/**
 * Returns the tokens of one message of the view: its text, its calls and results, and the overhead of the chat format.
 */
export function viewMessageTokens(message: ViewMessage, count: TokenCounter): number {
  let tokens = MESSAGE_OVERHEAD_TOKENS;
  for (const part of message.content) tokens += contentTokens(part, count);
  return tokens;
}

/** Returns the tokens of reasoning that only some models get back: that without a signature. */
function plainReasoningTokens(message: ViewMessage, count: TokenCounter): number {
  if (message.role === 'user') return 0;
  const plain = message.content.filter(
    (part) => part.type === 'reasoning' && part.providerMetadata === undefined,
  );
  return plain.reduce((sum, part) => sum + (part.type === 'reasoning' ? count(part.text) : 0), 0);
}

function contentTokens(part: ViewAssistantPart | ToolOutputContent, count: TokenCounter): number {
  switch (part.type) {
    case 'text': {
      const opaqueTokens = 'opaque' in part ? (part.opaque?.tokens ?? 0) : 0;
      return Math.max(count(part.text), opaqueTokens);
    }
    case 'reasoning':
      // Every model gets its own signed reasoning back.
      return part.providerMetadata === undefined ? 0 : count(part.text);
    case 'image':
    case 'file':
      return IMAGE_TOKENS;
    case 'tool':
      return (
        2 * MESSAGE_OVERHEAD_TOKENS +
        count(part.name) +
        count(JSON.stringify(part.input)) +
        part.output.reduce((sum, content) => sum + contentTokens(content, count), 0)
      );
  }
}

/** Predicts the tokens of whole requests, corrected by the real sizes of earlier requests. */
export interface RequestMeter {
  messageTokens(message: ViewMessage): number;
  /** Predicts the tokens of a request of these messages with the system text and the tools. */
  requestTokens(entries: readonly ViewEntry[], fixedTokens: number): number;
  /**
   * Records the real size of a request that was predicted at `predictedTokens`.
   *
   * @returns `too-high` if the real size is more than three times the counted one, by thousands of tokens. Three times
   * is assumed then.
   */
  calibrate(predictedTokens: number, realTokens: number): 'too-high' | undefined;
  /**
   * Returns how many tokens more than predicted a request may have. Everything that was not in the last measured
   * request is an estimate.
   */
  marginTokens(predictedTokens: number): number;
  /** Call this after a compaction: from then on, the whole request is an estimate. The ratio stays. */
  forgetMeasured(): void;
  /** Real tokens for one predicted token; 1 before the first calibration. */
  readonly ratio: number;
}

const RATIO_BOUNDS = { low: 0.5, high: 3 };

/** A server can add this many tokens to a request, for example with a chat template. */
const HIDDEN_TOKENS = 4_000;

/**
 * The error of estimates for new text, after the ratio is applied: up to 14 % of the new part in recorded sessions. If
 * texts so far cost less than counted, new ones may still cost the full count.
 */
const ESTIMATE_ERROR = 0.15;

export interface RequestMeterOptions {
  /** Whether reasoning without a signature is sent back. Default: never. */
  returnsReasoning?: () => boolean;
}

export function createRequestMeter(
  count: TokenCounter,
  initialRatio = 1,
  { returnsReasoning = () => false }: RequestMeterOptions = {},
): RequestMeter {
  let ratio = bounded(initialRatio);
  let measuredTokens = 0;
  // Messages of a view do not change, so each is counted once.
  const known = new WeakMap<ViewMessage, { tokens: number; plainReasoning: number }>();
  const raw = (message: ViewMessage) => {
    let sizes = known.get(message);
    if (sizes === undefined) {
      const plainReasoning = plainReasoningTokens(message, count);
      sizes = { tokens: viewMessageTokens(message, count), plainReasoning };
      known.set(message, sizes);
    }
    return sizes.tokens + (returnsReasoning() ? sizes.plainReasoning : 0);
  };
  return {
    get ratio() {
      return ratio;
    },
    messageTokens: (message) => Math.ceil(raw(message) * ratio),
    requestTokens(entries, fixedTokens) {
      const messages = entries.reduce((sum, entry) => sum + raw(entry.message), 0);
      return Math.ceil((messages + fixedTokens + REPLY_PRIMING_TOKENS) * ratio);
    },
    calibrate(predictedTokens, realTokens) {
      if (!(predictedTokens > 0) || !(realTokens > 0)) return undefined;
      const countedTokens = predictedTokens / ratio;
      const measuredRatio = realTokens / countedTokens;
      ratio = bounded(measuredRatio);
      measuredTokens = Math.min(realTokens, countedTokens * RATIO_BOUNDS.high);
      return realTokens - measuredTokens > HIDDEN_TOKENS ? 'too-high' : undefined;
    },
    marginTokens(predictedTokens) {
      // A request that is smaller than the last one was pruned: none of it was measured in its present form.
      const isGrown = predictedTokens >= measuredTokens;
      const estimated = isGrown ? predictedTokens - measuredTokens : predictedTokens;
      return Math.ceil(estimated * (ESTIMATE_ERROR + Math.max(0, 1 / ratio - 1)));
    },
    forgetMeasured() {
      measuredTokens = 0;
    },
  };
}

/** A provider that reports wrong numbers must neither switch compaction off nor make every request too large. */
function bounded(ratio: number): number {
  return Math.min(RATIO_BOUNDS.high, Math.max(RATIO_BOUNDS.low, ratio));
}
