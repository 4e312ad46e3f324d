import type { ChatMessage, ChatTool, LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage } from '../compaction/types.ts';
import type { Json } from '../wire/json.ts';
import type { AnswerForm } from './answers/way-answer.ts';

/** A request of another protocol, read as a chat. */
export interface WayRequest {
  /** Instructions in a field of their own come first, as a system message. */
  messages: ChatMessage[];
  tools: ChatTool[] | undefined;
  maxTokens: number | undefined;
  /** The window that the request itself asks for. */
  windowTokens?: number | undefined;
  /** Why the conversation cannot be compacted, for a person. */
  unhelped: string | undefined;
  /** Returns the conversation of the request with other messages. Received ones keep their fields. */
  write: (messages: readonly ChatMessage[]) => unknown;
}

/** A protocol for conversations besides chat completions. */
export interface Way {
  readonly path: string;
  /** The field with the conversation. */
  readonly conversationField: string;
  /** The field with the longest answer. */
  readonly limitField: string | undefined;
  /** Whether an answer is a stream unless the request says otherwise. */
  readonly streamsByDefault: boolean;
  /** Whether a request names a format for its answer, beyond what a chat completion may name. */
  wantsFormat(json: Json): boolean;
  read(json: Json): WayRequest;
  readonly answers: AnswerForm;
  /** Returns the usage in a whole answer or in one event of a stream. */
  usageOf(json: Json): Partial<ObservedUsage> | undefined;
  errorBody(error: LonghaulError): object;
  /** Returns an error as an event of a stream that has begun. */
  errorEvent(error: LonghaulError): string;
}
