import type { ChatFinishReason, ChatMessage, ChatTool, JsonObject } from '@longhaul/protocol';
import type { Fault } from './fault.ts';

/**
 * Decides what the model answers.
 *
 * A script that looks at nothing but the messages gives the same answer to a retried request, and goes on after a compaction as
 * a model would. One that throws fails the request with a 400 that names what it threw, so that no client retries it.
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
  /** 1, 2, 3… of this server, retried and refused requests included. */
  readonly number: number;
  readonly promptTokens: number;
  readonly windowTokens: number;
  /** The most this reply can hold; what is longer is cut. */
  readonly replyTokens: number;
  /**
   * A compaction asks for its narrative: the last message is a user's that speaks of a summary, and no tool may be called, or that begins
   * with «Summarise» while the session's tools still stand in the request.
   */
  readonly asksForSummary: boolean;
}

/** A text alone is a reply of that text. */
export type ScriptAnswer = string | ScriptReply;

/** Sent in this order: reasoning, text, tool calls. */
export interface ScriptReply {
  reasoning?: string;
  text?: string;
  toolCalls?: readonly ScriptToolCall[];
  /** Default: `tool_calls` if there are any, else `stop`. A reply that had to be cut says `length` whatever stands here. */
  finishReason?: ChatFinishReason;
  /** What goes wrong while the reply is sent. */
  fault?: Fault;
}

export interface ScriptToolCall {
  name: string;
  /** A string is sent as it is, valid JSON or not. */
  arguments: JsonObject | string;
  /** Default: a new one. */
  id?: string;
}

/**
 * Plays replies one by one: the first to the first request, and so on. It counts requests, so it knows neither retries nor
 * compactions. A request after the last reply fails.
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
