import type { ChatFinishReason, ChatMessage, ChatTool, JsonObject } from '@longhaul/protocol';
import type { Fault } from './fault.ts';

/**
 * Returns the model's answer to a request.
 *
 * A script that depends only on the messages gives the same answer to a retried request, and continues after a
 * compaction as a model does. If it throws, the request fails with status 400 and the message of the error, so that no
 * client retries it.
 *
 * @example
 * const script: Script = ({ messages }) =>
 *   hasToolCall(messages, 'read')
 *     ? 'It says hello.'
 *     : { text: 'Let me look.', toolCalls: [{ name: 'read', arguments: { path: 'README.md' } }] };
 */
export type Script = (request: ScriptRequest) => ScriptAnswer | Promise<ScriptAnswer>;

export interface ScriptRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly model: string;
  /** Number of the request on this server, from 1, with retried and refused requests. */
  readonly number: number;
  readonly promptTokens: number;
  readonly windowTokens: number;
  /** Maximum tokens of the reply. A longer reply is cut. */
  readonly replyTokens: number;
  /**
   * Whether a compaction requests its narrative. The last message is from the user, and either it mentions a summary
   * and no tool may be called, or it starts with "Summarise" and the request offers tools.
   */
  readonly asksForSummary: boolean;
}

/** A string is a reply with that text. */
export type ScriptAnswer = string | ScriptReply;

/** Sent in this order: reasoning, text, tool calls. */
export interface ScriptReply {
  reasoning?: string;
  text?: string;
  toolCalls?: readonly ScriptToolCall[];
  /** Default: `tool_calls` if there are any, or else `stop`. A reply that was cut always has `length`. */
  finishReason?: ChatFinishReason;
  /** A fault while the reply is sent. */
  fault?: Fault;
}

export interface ScriptToolCall {
  name: string;
  /** A string is sent unchanged, even if it is not valid JSON. */
  arguments: JsonObject | string;
  /** Default: a new id. */
  id?: string;
}

/**
 * Plays one reply for each request, in order. Retried requests and summary requests count, too. A request after the
 * last reply fails.
 */
export function inOrder(replies: readonly ScriptAnswer[]): Script {
  return ({ number }) => {
    const reply = replies[number - 1];
    if (reply === undefined) {
      throw new Error(`The script has ${replies.length} replies; this is request ${number}`);
    }
    return reply;
  };
}
