import type { ChatCompletionRequest } from '@longhaul/protocol';
import type { PromptCount } from '../prompt-counter.ts';

/** Servers of local models, each with its own way to report a window and to say that it is full. */
export type PersonaName = 'lmstudio' | 'ollama' | 'llamacpp' | 'vllm';

/**
 * What happens to a prompt that does not fit. `error`: a status, in the server's own words. `event`: 200 and an SSE event that holds
 * the error (LM Studio). `silent`: the oldest messages are dropped and nobody is told (Ollama).
 */
export type OverflowManner = 'error' | 'event' | 'silent';

export interface TooLong {
  chat: ChatCompletionRequest;
  prompt: PromptCount;
  windowTokens: number;
}

/** One model that a persona holds, as far as its reports tell of it. */
export interface LoadedModel {
  id: string;
  windowTokens: number;
  /** What the model was trained with: reported beside the other, and never the limit. */
  trainedTokens: number;
  isLoaded: boolean;
}

export interface Persona {
  readonly name: PersonaName;
  readonly defaultModel: string;
  readonly defaultManner: OverflowManner;
  /** Any model's name is answered by the one that is loaded. */
  readonly answersToAnyName: boolean;
  /** The answer's room, where it is asked for, counts as part of the prompt. */
  readonly countsAnswer: boolean;
  /** Its GET and POST reports besides `/v1/models`: by method and path, JSON out. */
  reports(model: LoadedModel): Readonly<Record<string, (body: unknown) => unknown>>;
  /** An entry of `/v1/models`. */
  listing(model: LoadedModel): Record<string, unknown>;
  /** The error's body. */
  refuse(tooLong: TooLong): { status: number; body: unknown };
}
