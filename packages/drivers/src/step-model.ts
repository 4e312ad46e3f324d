import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/**
 * The client of one model, as far as drivers use it. A `LanguageModelV4` of the AI SDK is one. The native clients take
 * and return the same forms, so that the rules for prompts, answers and failures apply to all of them.
 */
export interface StepModel {
  /** Makes one request. Throws, or sends an `error` part, on failure. */
  doStream(options: LanguageModelV4CallOptions): PromiseLike<{ stream: PartStream }>;
}

export interface PartStream {
  getReader(): PartReader;
}

export interface PartReader {
  read(): Promise<{ done: false; value: LanguageModelV4StreamPart } | { done: true; value?: unknown }>;
  /** Settles a pending read at once. */
  cancel(): Promise<void>;
}
