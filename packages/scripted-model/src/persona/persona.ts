import type { ChatCompletionRequest } from '@longhaul/protocol';
import type { PromptCount } from '../prompt-counter.ts';

/** Kinds of local model servers. Each reports its window and an overflow in its own way. */
export type PersonaName = 'lmstudio' | 'ollama' | 'llamacpp' | 'vllm';

/**
 * How a server handles a prompt that does not fit. `error`: an error status with the server's own body. `event`: status
 * 200 and an SSE event with the error (LM Studio). `silent`: the oldest messages are dropped without a notice (Ollama).
 */
export type OverflowManner = 'error' | 'event' | 'silent';

export interface TooLong {
  chat: ChatCompletionRequest;
  prompt: PromptCount;
  windowTokens: number;
}

/** The reported properties of a persona's model. */
export interface LoadedModel {
  id: string;
  windowTokens: number;
  /** The window that the model was trained with. It is reported too, but is not the limit. */
  trainedTokens: number;
  isLoaded: boolean;
}

export interface Persona {
  readonly name: PersonaName;
  readonly defaultModel: string;
  readonly defaultManner: OverflowManner;
  /** Whether requests for any model name are answered by the loaded model. */
  readonly answersToAnyName: boolean;
  /** Whether a requested `max_tokens` counts as part of the prompt. */
  readonly countsAnswer: boolean;
  /** Handlers of its GET and POST reports other than `/v1/models`, by method and path. They return JSON. */
  reports(model: LoadedModel): Readonly<Record<string, (body: unknown) => unknown>>;
  /** The model's entry in `/v1/models`. */
  listing(model: LoadedModel): Record<string, unknown>;
  /** Returns the status and body of the error for a prompt that is too long. */
  refuse(tooLong: TooLong): { status: number; body: unknown };
}
