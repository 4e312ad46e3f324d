import type { ViewMessage } from '@longhaul/context/engine';
import type {
  FinishReason,
  JsonValue,
  LonghaulError,
  ProviderMetadata,
  TokenUsage,
  ToolOutputContent,
} from '@longhaul/protocol';

/** The description of a tool for a model. */
export interface ToolSchema {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: { type: 'object'; [key: string]: JsonValue };
  /**
   * The argument can be written as plain text, by a grammar, where the provider's API has such tools. Calls have it
   * under `parameter` all the same.
   */
  freeform?: { parameter: string; syntax: 'lark'; definition: string };
}

/** Limits and price of a model, as far as known. */
export interface ModelInfo {
  provider: string;
  model: string;
  /** Tokens. */
  windowTokens: number;
  maxOutputTokens: number;
  /** US dollars per million tokens. */
  price?: ModelPrice;
  /** Present if the model cannot call tools: what a person can do about it. */
  withoutTools?: string | undefined;
  /** A server for local models, which may keep the prompt of only one conversation in memory. Default false. */
  isLocal?: boolean | undefined;
  /** Media types that the model supports besides text. */
  accepts: { images: boolean; files: boolean };
  /** Reasoning is sent back even if it has no metadata, so it takes room in later requests. Default false. */
  returnsReasoning?: boolean;
  /** Tokens of an answer that reasoning takes, as configured. They count in `maxOutputTokens`. Default 0. */
  reasoningTokens?: number;
}

/** Prices of a model in US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** One request to a model. */
export interface StepRequest {
  system: string;
  /** Blob references are expanded: media are base64 text. */
  messages: readonly ViewMessage[];
  tools: readonly ToolSchema[];
  /**
   * Whether a tool accepts the arguments. With it, a driver repairs arguments, and makes calls that the model wrote as
   * text. Absent: calls are passed on as they are.
   */
  acceptsInput?: (name: string, input: JsonValue) => boolean;
  /** Returns the name of the tool that a name means, such as `read` for `ReadFile`. Absent: only equal names. */
  toolNamed?: (name: string) => string | undefined;
  /** Absent: the provider's default. */
  maxOutputTokens?: number;
  /** The same in all requests of a session, so that a provider can find what it cached. */
  cacheKey?: string;
  signal: AbortSignal;
}

/** A request to the provider to summarise a session with its own means. */
export interface ProviderCompactionRequest extends Omit<StepRequest, 'maxOutputTokens'> {
  /** Those of the messages that stay in the view. */
  kept: readonly ViewMessage[];
}

/** What a provider made of a session, to be sent back unchanged in place of the messages. */
export interface ProviderCompaction {
  items: JsonValue[];
  usage?: TokenUsage;
}

/** The events of a step, in order. Every stream ends with exactly one `finish` or `error`. */
export type StepEvent =
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; text: string }
  | { type: 'text-end'; id: string; providerMetadata?: ProviderMetadata }
  /** The text so far was a thought. The rest of it follows as reasoning with the same id. */
  | { type: 'text-is-reasoning'; id: string }
  | { type: 'reasoning-start'; id: string }
  | { type: 'reasoning-delta'; id: string; text: string }
  | { type: 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'tool-input-start'; callId: string; name: string }
  | { type: 'tool-input-delta'; callId: string; text: string }
  | { type: 'tool-call'; callId: string; name: string; input: JsonValue; providerMetadata?: ProviderMetadata }
  /** A call whose arguments are not a JSON object. `inputText` has them as received. */
  | { type: 'tool-call-invalid'; callId: string; name: string; inputText: string; reason: string }
  | { type: 'file'; content: ToolOutputContent }
  /**
   * `rawFinishReason` is the reason as the server sent it, `explanation` its words on it. `unreadCall`: the text ends
   * in a tool call that cannot be read (`broken`), or it only writes about one (`uncertain`: one of both).
   * `continuesAsSent`: the provider continues the turn if the request is repeated with this answer at its end.
   */
  | {
      type: 'finish';
      finishReason: FinishReason;
      rawFinishReason?: string;
      explanation?: string;
      unreadCall?: 'broken' | 'uncertain';
      continuesAsSent?: boolean;
      usage?: TokenUsage;
      model?: string;
    }
  | { type: 'error'; error: LonghaulError }
  /** Before anything else: a medium of the request is not sent, because the provider would refuse it. Each once. */
  | { type: 'input-left-out'; mediaType: string; reason: string }
  /** Before the finish: something about the server that a person should know. Each once. */
  | { type: 'warning'; message: string };

/** Requests the window of a driver's server, and stores what was learned about it. */
export interface ServerWindow {
  /**
   * Requests the number of tokens that the model is loaded with. Returns undefined if the server does not report it.
   * Does not throw.
   */
  reported(): Promise<number | undefined>;
  /**
   * Stores a window learned from a refusal or a truncated prompt, for later runs. @throws {LonghaulError} Errors of the
   * store.
   */
  learned(windowTokens: number): Promise<void>;
  /**
   * A window that an earlier run with this driver inferred from a truncated prompt, and that was not stored yet. The next
   * run begins with it.
   */
  assumedTokens?: number | undefined;
}

/**
 * One way to call a model.
 *
 * `step` makes exactly one model call. It does not retry and does not run tools. Once iteration has begun it never
 * throws: every failure is an `error` event with a code. `context_overflow` has `windowTokens` and `requestTokens` in
 * its data if the message named them; `provider_rate_limit` and `provider_overloaded` have `retryAfterMs`. An abort of
 * `signal` ends the stream with an `error` of code `cancelled`.
 */
export interface ModelDriver {
  /** The client that makes the calls, such as `ai-sdk` or `native`. Events name it. */
  readonly router?: string;
  /** The current facts. In later runs they include a learned window. */
  readonly info: ModelInfo;
  /** Absent if the server's window can be neither requested nor stored. */
  readonly serverWindow?: ServerWindow;
  /**
   * Asks the provider for the exact input tokens of a step. Resolves to undefined if it does not answer soon. Never
   * throws. Absent if the provider cannot count.
   */
  readonly countTokens?: ((request: StepRequest) => Promise<number | undefined>) | undefined;
  /**
   * Lets the provider summarise messages with its own means. Absent if it has none.
   *
   * @throws {LonghaulError} The refusal or failure, with the codes of a step; `cancelled`.
   */
  readonly compact?: ((request: ProviderCompactionRequest) => Promise<ProviderCompaction>) | undefined;
  step(request: StepRequest): AsyncIterable<StepEvent>;
}

/**
 * Returns the driver for a model (`provider/model`).
 *
 * @param signal Nobody waits for the driver any more. A model that is being loaded need not be loaded further.
 */
export type DriverFor = (model: string, signal?: AbortSignal) => Promise<ModelDriver>;
