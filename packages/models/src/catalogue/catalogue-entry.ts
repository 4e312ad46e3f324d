import type { ReasoningEffort } from '../call-settings.ts';
import type { TokenPrice } from '../usage-cost.ts';

/** Public facts of a model. */
export interface CatalogueEntry {
  provider: string;
  /** The model's name, usually without a date. */
  model: string;
  /** Input and output tokens together. */
  windowTokens: number;
  /** The most input tokens that the provider accepts, if that is less than the window. */
  maxInputTokens?: number;
  maxOutputTokens?: number;
  price?: TokenPrice;
  /** The media that the model accepts. Every model accepts text. */
  accepts: { images: boolean; files: boolean };
  /** Whether the model can reason before it answers, if that is known. */
  reasoning?: boolean;
  /** The efforts that the model accepts, if they are known: for OpenAI and Google. */
  efforts?: readonly ReasoningEffort[];
}
