import type { Tokenizer } from '@longhaul/models';
import { BoundedMemo } from './conversation/bounded-memo.ts';
import { hasUncountedParts } from './conversation/uncounted-parts.ts';
import { KnownModel } from './known-model.ts';
import { type SizedRequest, sizeRequest } from './request-size.ts';
import type { ConversationRequest, PrepareOptions } from './types.ts';

/** Remembered counts of messages and texts: about 20 MB at most. */
const MAX_COUNTS = 100_000;
/** Bounds memory: model names come from clients. */
const MAX_MODELS = 1_000;
/** The server's own count is used from this share of the threshold on. */
const MEASURED_FROM = 0.5;

export interface ModelBookOptions {
  tokenizerFor: (model: string) => Promise<Tokenizer>;
  inputThreshold: number;
  warningThreshold: number;
}

/** Knows the requested models and computes the size of requests to them. */
export class ModelBook {
  readonly #options: ModelBookOptions;
  readonly #counts = new BoundedMemo<number>(MAX_COUNTS);
  readonly #models = new BoundedMemo<Promise<KnownModel>>(MAX_MODELS);

  constructor(options: ModelBookOptions) {
    this.#options = options;
  }

  async size(
    received: ConversationRequest,
    { refused, measure, signal }: PrepareOptions,
  ): Promise<{ sized: SizedRequest; model: KnownModel }> {
    const model = await this.#model(received.model);
    const windowTokens = Math.min(received.windowTokens, refused?.windowTokens ?? Number.POSITIVE_INFINITY);
    const request = windowTokens === received.windowTokens ? received : { ...received, windowTokens };
    await model.meter.learnMessages(request.messages);
    const hasUncounted = hasUncountedParts(request.messages);
    const size = (ratio = model.ratio) => {
      const { tokenizerFor: _, ...thresholds } = this.#options;
      const { meter } = model;
      return sizeRequest(request, {
        ...thresholds,
        meter,
        ratio,
        windowTokens,
        wasRefused: refused !== undefined,
      });
    };
    const sized = size();
    if (refused !== undefined) {
      const { countedTokens } = sized;
      const { requestTokens } = refused;
      const ratio = model.learnRefusal({ countedTokens, windowTokens, requestTokens, hasUncounted });
      return { sized: size(ratio), model };
    }
    model.noteWindow(windowTokens);
    const isWorthMeasuring = !hasUncounted && !model.isMeasured && isNear(sized);
    if (measure === undefined || !isWorthMeasuring) return { sized, model };
    const tokens = await measure(request.messages, signal);
    if (tokens !== undefined) model.learn(sized.countedTokens, tokens);
    return { sized: size(), model };
  }

  #model(name: string): Promise<KnownModel> {
    let model = this.#models.get(name);
    if (model === undefined) {
      model = this.#options
        .tokenizerFor(name)
        .then((tokenizer) => new KnownModel(name, tokenizer, this.#counts));
      this.#models.set(name, model);
    }
    return model;
  }
}

function isNear({ estimatedTokens, dueTokens }: SizedRequest): boolean {
  return estimatedTokens >= dueTokens * MEASURED_FROM;
}
