import type { ChatCompletionRequest, ChatUsage } from '@longhaul/protocol';
import type { ApiError } from '../api-error.ts';
import type { CompletionHead } from '../completion.ts';
import type { PromptCount } from '../prompt-counter.ts';
import type { FinalReply } from '../reply.ts';
import type { StreamOptions } from '../stream-options.ts';

/** A reply and what a response says about it. */
export interface Answer {
  head: CompletionHead;
  reply: FinalReply;
  usage: ChatUsage;
}

/** The sizes of a request that does not fit. */
export interface Excess {
  prompt: PromptCount;
  completionTokens: number;
  windowTokens: number;
}

/**
 * A format of requests and answers. The server converts each request to one of Chat Completions, so that scripts and
 * token counts are the same for all formats.
 */
export interface Wire {
  path: string;
  /** Converts the parsed body of a request. What cannot be converted stays out; the result is not checked. */
  toChat(body: unknown): unknown;
  /** Returns the reason why the provider would refuse the body, for reasons that `toChat` hides. */
  complaint(body: unknown): string | undefined;
  /**
   * Returns the answer to a request for a summary in the provider's own form, or undefined for another request. The
   * summary can be read only by this server, in later requests.
   */
  compact(body: unknown, chat: ChatCompletionRequest, tokens: number): object | undefined;
  refusal(excess: Excess): ApiError;
  errorBody(error: ApiError): unknown;
  /** Returns the events of a streamed answer as they are sent. */
  stream(answer: Answer, options: StreamOptions): string[];
  /** Returns the answer as one object. */
  whole(answer: Answer): unknown;
  /** Returns the event that reports an error after the status line. */
  errorEvent(error: ApiError): string;
}

/** Returns the text for which a summary in the provider's own form stands. */
export function compactedText(sealed: string): string {
  return `The summary ${sealed}.`;
}

/** Returns the sealed summary of a conversation: the number of messages in it. */
export function sealedSummary({ messages }: ChatCompletionRequest): string {
  return `sealed-${messages.length}`;
}

export function isSealed(text: string): boolean {
  return /^sealed-\d+$/.test(text);
}

/** Formats an event that has a name, which is also the type of its data. */
export function namedEvent(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
