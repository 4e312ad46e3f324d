import type { ViewMessage } from '@longhaul/context';
import type {
  FinishReason,
  JsonValue,
  LonghaulError,
  ProviderMetadata,
  TokenUsage,
  ToolOutputContent,
} from '@longhaul/protocol';

/** What a model is told of a tool. */
export interface ToolSchema {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: { type: 'object'; [key: string]: JsonValue };
}

/** What the model and its server accept and cost, as far as known. */
export interface ModelInfo {
  provider: string;
  model: string;
  /** Tokens. */
  windowTokens: number;
  maxOutputTokens: number;
  /** US dollars for a million tokens. */
  price?: ModelPrice;
  /** Media the model takes; text always. */
  accepts: { images: boolean; files: boolean };
}

export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface StepRequest {
  system: string;
  /** Blob references expanded: media are base64 text here. */
  messages: readonly ViewMessage[];
  tools: readonly ToolSchema[];
  /** Absent: the provider's default. */
  maxOutputTokens?: number;
  signal: AbortSignal;
}

/** What happens in a step, in order. Every stream ends with exactly one `finish` or `error`. */
export type StepEvent =
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; text: string }
  | { type: 'text-end'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning-start'; id: string }
  | { type: 'reasoning-delta'; id: string; text: string }
  | { type: 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'tool-input-start'; callId: string; name: string }
  | { type: 'tool-input-delta'; callId: string; text: string }
  | { type: 'tool-call'; callId: string; name: string; input: JsonValue; providerMetadata?: ProviderMetadata }
  /** The arguments are not a JSON object, as they came. */
  | { type: 'tool-call-invalid'; callId: string; name: string; inputText: string; reason: string }
  | { type: 'file'; content: ToolOutputContent }
  | { type: 'finish'; finishReason: FinishReason; usage?: TokenUsage; model?: string }
  | { type: 'error'; error: LonghaulError };

/** The window of the server behind a driver, where it can be asked or remembered. */
export interface ServerWindow {
  /** Tokens that the model is loaded with, asked of the server now; undefined where it does not say. Does not throw. */
  reported(): Promise<number | undefined>;
  /** A refusal, or a prompt that was cut, has shown the window: kept for later runs. @throws {LonghaulError} of the store */
  learned(windowTokens: number): Promise<void>;
}

/**
 * One way to call a model.
 *
 * `step` makes exactly one model call: no retries, no tools run. It never throws once iteration has begun: every failure is an
 * `error` event, mapped to a code (`context_overflow` carries `windowTokens` and `requestTokens` in its data where the message named
 * them; `provider_rate_limit` and `provider_overloaded` carry `retryAfterMs`). An abort of our own signal ends the stream with
 * `error` of code `cancelled`.
 */
export interface ModelDriver {
  /** As known now: a window that was learned stands in it for later runs. */
  readonly info: ModelInfo;
  /** Absent: nothing is asked of the server, and what it shows is not kept. */
  readonly serverWindow?: ServerWindow;
  step(request: StepRequest): AsyncIterable<StepEvent>;
}
