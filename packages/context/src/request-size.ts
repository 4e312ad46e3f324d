import type { Message, ToolOutputContent } from '@longhaul/protocol';
import { type CountedSize, RatioLearner } from './ratio-learner.ts';
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
      const { tokens = 0, verbatim = '' } = ('opaque' in part ? part.opaque : undefined) ?? {};
      return Math.max(count(part.text), tokens + count(verbatim));
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

function mediaCount(message: ViewMessage): number {
  const isMedia = (part: ViewAssistantPart | ToolOutputContent) =>
    part.type === 'image' || part.type === 'file';
  const inParts = message.content.filter(isMedia).length;
  if (message.role === 'user') return inParts;
  const outputs = message.content.flatMap((part) => (part.type === 'tool' ? part.output : []));
  return inParts + outputs.filter(isMedia).length;
}

/** Predicts the tokens of whole requests, corrected by the real sizes of earlier requests. */
export interface RequestMeter {
  messageTokens(message: ViewMessage): number;
  /** Predicts the tokens of a request of these messages with the system text and the tools. */
  requestTokens(entries: readonly ViewEntry[], fixedTokens: number): number;
  /** Predicts how many of the tokens of a request are those of images and files. */
  mediaTokens(entries: readonly ViewEntry[]): number;
  /**
   * Records the real size of a request that was predicted at `predictedTokens`.
   *
   * @param mediaTokens The part of the prediction for images and files. Their error is not learned as one of the text.
   * Default 0.
   * @returns `too-high` if the real size is more than the largest ratios allow (three times the counted tokens of text),
   * by thousands of tokens. The largest ratios are assumed then.
   */
  calibrate(predictedTokens: number, realTokens: number, mediaTokens?: number): 'too-high' | undefined;
  /**
   * Records the real size of a request of these messages. Other than `calibrate`, it knows afterwards which messages
   * were measured.
   */
  measured(entries: readonly ViewEntry[], fixedTokens: number, realTokens: number): void;
  /**
   * Returns how many tokens more than predicted a request may have. Everything that was not in the last measured
   * request is an estimate.
   */
  marginTokens(predictedTokens: number): number;
  /** Call this after a compaction: from then on, the whole request is an estimate. The ratios stay. */
  forgetMeasured(): void;
  /** Real tokens for one counted token of text; 1 before the first calibration. */
  readonly ratio: number;
  /** Real tokens for one counted token of media; 1 before the first calibration with media. */
  readonly mediaRatio: number;
}

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
  /** Counts the messages that are sent for an entry, if they are not those of the view. Default: counts the view. */
  sizeOf?: (entry: ViewEntry) => CountedSize;
  /**
   * Whether texts that were never measured count at least their full count, even if texts so far cost less: a session
   * in one language may get texts in another. Default false.
   */
  isCautious?: boolean;
  /** The ratio of media to start with. Default 1. */
  initialMediaRatio?: number | undefined;
}

/** Creates a meter that predicts the size of requests, and learns from the sizes that the server reports. */
export function createRequestMeter(
  count: TokenCounter,
  initialRatio = 1,
  { returnsReasoning = () => false, sizeOf, isCautious = false, initialMediaRatio }: RequestMeterOptions = {},
): RequestMeter {
  const ratios = new RatioLearner({ text: initialRatio, media: initialMediaRatio });
  let measuredTokens = 0;
  // Messages of a view do not change, so each is counted once.
  const known = new WeakMap<ViewMessage, CountedSize & { plainReasoning: number }>();
  const raw = (message: ViewMessage, entry?: ViewEntry): CountedSize => {
    const size = known.get(message) ?? sizeNow(message, entry);
    // Without its entry, the messages that are sent for it are not known yet.
    if (sizeOf === undefined || entry !== undefined) known.set(message, size);
    return { text: size.text + (returnsReasoning() ? size.plainReasoning : 0), media: size.media };
  };
  const sizeNow = (message: ViewMessage, entry: ViewEntry | undefined) =>
    sizeOf === undefined || entry === undefined
      ? viewMessageSize(message, count)
      : { ...sizeOf(entry), plainReasoning: 0 };
  /** The messages of the log that the last measured request had. */
  let measuredSources = new WeakSet<Message>();
  const isNew = ({ source }: ViewEntry) =>
    isCautious && !(source !== undefined && measuredSources.has(source));
  const predicted = ({ text, media }: CountedSize) => text * ratios.text + media * ratios.media;
  const sum = (entries: readonly ViewEntry[]): CountedSize & { newText: number } => {
    const whole = { text: 0, media: 0, newText: 0 };
    for (const entry of entries) {
      const { text, media } = raw(entry.message, entry);
      whole.text += text;
      whole.media += media;
      if (isNew(entry)) whole.newText += text;
    }
    return whole;
  };
  return {
    get ratio() {
      return ratios.text;
    },
    get mediaRatio() {
      return ratios.media;
    },
    messageTokens: (message) => Math.ceil(predicted(raw(message))),
    requestTokens(entries, fixedTokens) {
      const { text, media, newText } = sum(entries);
      const caution = newText * Math.max(0, 1 - ratios.text);
      return Math.ceil(predicted({ text: text + fixedTokens + REPLY_PRIMING_TOKENS, media }) + caution);
    },
    mediaTokens: (entries) => Math.ceil(predicted({ text: 0, media: sum(entries).media })),
    calibrate(predictedTokens, realTokens, mediaTokens = 0) {
      if (!(predictedTokens > 0) || !(realTokens > 0)) return undefined;
      const media = Math.min(mediaTokens, predictedTokens);
      const size = { text: (predictedTokens - media) / ratios.text, media: media / ratios.media };
      ratios.learn(size, realTokens);
      measuredTokens = Math.min(realTokens, predicted(size));
      return realTokens - measuredTokens > HIDDEN_TOKENS ? 'too-high' : undefined;
    },
    measured(entries, fixedTokens, realTokens) {
      if (!(realTokens > 0)) return;
      const { text, media } = sum(entries);
      ratios.learn({ text: text + fixedTokens + REPLY_PRIMING_TOKENS, media }, realTokens);
      measuredTokens = realTokens;
      measuredSources = new WeakSet(entries.flatMap(({ source }) => (source === undefined ? [] : [source])));
    },
    marginTokens(predictedTokens) {
      // A request that is smaller than the last one was pruned: none of it was measured in its present form.
      const isGrown = predictedTokens >= measuredTokens;
      const estimated = isGrown ? predictedTokens - measuredTokens : predictedTokens;
      return Math.ceil(estimated * (ESTIMATE_ERROR + Math.max(0, 1 / ratios.text - 1)));
    },
    forgetMeasured() {
      measuredTokens = 0;
      measuredSources = new WeakSet();
    },
  };
}

function viewMessageSize(
  message: ViewMessage,
  count: TokenCounter,
): CountedSize & { plainReasoning: number } {
  const media = mediaCount(message) * IMAGE_TOKENS;
  return {
    text: viewMessageTokens(message, count) - media,
    media,
    plainReasoning: plainReasoningTokens(message, count),
  };
}
