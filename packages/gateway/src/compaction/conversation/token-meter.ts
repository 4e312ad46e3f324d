import { setImmediate as nextTurn } from 'node:timers/promises';
import { REPLY_PRIMING_TOKENS, type TokenCounter } from '@longhaul/context/engine';
import { countMessages, type Tokenizer } from '@longhaul/models';
import type { ChatMessage, ChatTool } from '@longhaul/protocol';
import type { BoundedMemo } from './bounded-memo.ts';
import { messageDigest, textDigest } from './message-digest.ts';

/** Counts messages and texts for one model. Counts are remembered by hash, so each text is counted once. */
export interface TokenMeter {
  /** Includes the tokens that the chat format adds around the message. */
  message(message: ChatMessage): number;
  messages(messages: readonly ChatMessage[]): number;
  /** Counts messages in advance, in slices, so that other requests are served in the meantime. */
  learnMessages(messages: readonly ChatMessage[]): Promise<void>;
  /** Counts the parts of a request outside its messages: tool schemas and the priming of the reply. */
  fixed(tools: readonly ChatTool[] | undefined): number;
  text: TokenCounter;
}

/** Counting a shorter text is faster than hashing it. */
const MEMO_MIN_CHARS = 100;
const SLICE_MS = 5;
/**
 * A piece of this size is counted in a few milliseconds. A longer text is split at a line or a blank; each split may
 * add or lose a token.
 */
const PIECE_CHARS = 32_768;

export function createTokenMeter(model: string, tokenizer: Tokenizer, memo: BoundedMemo<number>): TokenMeter {
  // One request counts the same message objects several times.
  const ofObject = new WeakMap<ChatMessage, number>();
  const textKey = (value: string) => `${model} text ${textDigest(value)}`;

  const once = (key: string, count: () => number): number => {
    const known = memo.get(key);
    if (known !== undefined) return known;
    const tokens = count();
    memo.set(key, tokens);
    return tokens;
  };
  const text: TokenCounter = (value) =>
    value.length < MEMO_MIN_CHARS
      ? tokenizer.count(value)
      : once(textKey(value), () => tokenizer.count(value));
  const remembering = { ...tokenizer, count: text };
  const message = (value: ChatMessage): number => {
    const known = ofObject.get(value);
    if (known !== undefined) return known;
    const key = `${model} message ${messageDigest(value)}`;
    const tokens = once(key, () => messageTokens(value, model, remembering));
    ofObject.set(value, tokens);
    return tokens;
  };
  const learnText = async (value: string): Promise<void> => {
    if (value.length <= PIECE_CHARS || memo.get(textKey(value)) !== undefined) return;
    memo.set(textKey(value), await countInPieces(value, (piece) => tokenizer.count(piece)));
  };

  return {
    text,
    message,
    messages: (values) => values.reduce((sum, value) => sum + message(value), 0),
    async learnMessages(values) {
      let since = performance.now();
      for (const value of values) {
        for (const content of textsOf(value)) await learnText(content);
        message(value);
        if (performance.now() - since < SLICE_MS) continue;
        await nextTurn();
        since = performance.now();
      }
    },
    fixed: (tools = []) => REPLY_PRIMING_TOKENS + (tools.length === 0 ? 0 : text(JSON.stringify(tools))),
  };
}

/** Counts a text in pieces, so that other requests are served in the meantime. */
export async function countInPieces(text: string, count: TokenCounter): Promise<number> {
  let tokens = 0;
  for (const piece of piecesOf(text)) {
    tokens += count(piece);
    await nextTurn();
  }
  return tokens;
}

type LegacyMessage = ChatMessage & { function_call?: unknown };

function messageTokens(message: LegacyMessage, model: string, tokenizer: Tokenizer): number {
  const legacy =
    message.function_call === undefined ? 0 : tokenizer.count(JSON.stringify(message.function_call));
  try {
    return countMessages([message], tokenizer, { model }) - REPLY_PRIMING_TOKENS + legacy;
  } catch {
    // The message is malformed. The server will report that; here its JSON is counted.
    return tokenizer.count(JSON.stringify(message));
  }
}

function textsOf({ content }: ChatMessage): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (typeof part === 'object' && 'text' in part ? [String(part.text)] : []));
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + PIECE_CHARS);
    // A search in the whole text would go back to its beginning for each piece.
    const piece = text.slice(start, end + 1);
    const blank = Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf(' '));
    const isBlankNear = end < text.length && blank > PIECE_CHARS / 2;
    const cut = isBlankNear ? start + blank : end;
    yield text.slice(start, cut);
    start = cut;
  }
}
