import { randomUUID } from 'node:crypto';
import type { ChatFinishReason, ChatToolCall } from '@longhaul/protocol';
import type { ScriptAnswer, ScriptReply, ScriptToolCall } from './script.ts';

/** The reply to send, complete or cut to its limit. */
export interface FinalReply {
  reasoning: string;
  text: string;
  toolCalls: ChatToolCall[];
  finishReason: ChatFinishReason;
  completionTokens: number;
  reasoningTokens: number;
}

export function toReply(answer: ScriptAnswer): ScriptReply {
  return typeof answer === 'string' ? { text: answer } : answer;
}

/**
 * Cuts a reply to `room` tokens, as a model does at its limit: in the middle of a word or of a call's arguments, with
 * finish reason `length`.
 */
export function fitReply(reply: ScriptReply, room: number, count: (text: string) => number): FinalReply {
  const meter = new Meter(room, count);
  const reasoning = meter.take(reply.reasoning ?? '');
  const reasoningTokens = meter.used;
  const text = meter.take(reply.text ?? '');
  const toolCalls = (reply.toolCalls ?? []).flatMap((call) => takeCall(call, meter) ?? []);
  const natural = reply.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
  return {
    reasoning,
    text,
    toolCalls,
    finishReason: meter.isCut ? 'length' : natural,
    completionTokens: meter.used,
    reasoningTokens,
  };
}

/** Returns undefined if the call's name does not fit completely. */
function takeCall(call: ScriptToolCall, meter: Meter): ChatToolCall | undefined {
  const name = meter.take(call.name);
  if (name !== call.name) return undefined;
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return {
    id: call.id ?? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    type: 'function',
    function: { name, arguments: meter.take(text) },
  };
}

/** Passes text through until the limit is reached, and nothing after that. */
class Meter {
  readonly #room: number;
  readonly #count: (text: string) => number;
  used = 0;
  isCut = false;

  constructor(room: number, count: (text: string) => number) {
    this.#room = room;
    this.#count = count;
  }

  take(text: string): string {
    if (this.isCut) return '';
    const left = this.#room - this.used;
    const tokens = this.#count(text);
    if (tokens <= left) {
      this.used += tokens;
      return text;
    }
    this.isCut = true;
    const kept = longestPrefix(text, left, this.#count);
    this.used += this.#count(kept);
    return kept;
  }
}

function longestPrefix(text: string, tokens: number, count: (text: string) => number): string {
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (count(text.slice(0, middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return text.slice(0, wholeCharacters(text, fits));
}

/** Returns the last position at or before `index` that does not split a surrogate pair. */
export function wholeCharacters(text: string, index: number): number {
  const code = text.charCodeAt(index - 1);
  const splits = index < text.length && code >= 0xd800 && code <= 0xdbff;
  return splits ? index - 1 : index;
}
