import { REPLY_PRIMING_TOKENS, type TokenCounter } from '@longhaul/context';
import { countMessages, type Tokenizer } from '@longhaul/models';
import type { ChatMessage, ChatTool } from '@longhaul/protocol';
import type { BoundedMemo } from './bounded-memo.ts';
import { messageDigest, textDigest } from './message-digest.ts';

/** Counts messages and texts for one model, each only once: what was counted is known by its hash. */
export interface TokenMeter {
  /** With what the chat format puts around the message. */
  message(message: ChatMessage): number;
  messages(messages: readonly ChatMessage[]): number;
  /** Schemas of the tools, and what primes the reply: of each request, beside its messages. */
  fixed(tools: readonly ChatTool[] | undefined): number;
  text: TokenCounter;
}

/** Shorter texts are counted faster than they are hashed. */
const MEMO_MIN_CHARS = 100;

export function createTokenMeter(model: string, tokenizer: Tokenizer, memo: BoundedMemo<number>): TokenMeter {
  const once = (key: string, count: () => number) => {
    const known = memo.get(key);
    if (known !== undefined) return known;
    const tokens = count();
    memo.set(key, tokens);
    return tokens;
  };
  const text: TokenCounter = (value) =>
    value.length < MEMO_MIN_CHARS
      ? tokenizer.count(value)
      : once(`${model} text ${textDigest(value)}`, () => tokenizer.count(value));
  // Within one request the same objects are asked for several times.
  const ofObject = new WeakMap<ChatMessage, number>();
  const message = (value: ChatMessage) => {
    const known = ofObject.get(value);
    if (known !== undefined) return known;
    const key = `${model} message ${messageDigest(value)}`;
    const tokens = once(key, () => messageTokens(value, model, tokenizer));
    ofObject.set(value, tokens);
    return tokens;
  };
  return {
    text,
    message,
    messages: (values) => values.reduce((sum, value) => sum + message(value), 0),
    fixed: (tools = []) => REPLY_PRIMING_TOKENS + (tools.length === 0 ? 0 : text(JSON.stringify(tools))),
  };
}

type LegacyMessage = ChatMessage & { function_call?: unknown };

function messageTokens(message: LegacyMessage, model: string, tokenizer: Tokenizer): number {
  const legacy =
    message.function_call === undefined ? 0 : tokenizer.count(JSON.stringify(message.function_call));
  try {
    return countMessages([message], tokenizer, { model }) - REPLY_PRIMING_TOKENS + legacy;
  } catch {
    // Not of the form that it should have: the server will say so. Until then its JSON is counted.
    return tokenizer.count(JSON.stringify(message));
  }
}
