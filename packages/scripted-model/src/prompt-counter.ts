import { createHash } from 'node:crypto';
import type { ChatCompletionRequest, ChatContentPart, ChatMessage, ChatTool } from '@longhaul/protocol';
import { textOfPart } from './messages.ts';

/** Tokens of OpenAI's chat format: for the wrapping of each message, and for the start of the reply. */
const MESSAGE_TOKENS = 4;
const PRIMING_TOKENS = 3;

/** Tokens of any image or file: OpenAI's price for a picture of 1024 × 1024 pixels in high detail. */
export const MEDIA_TOKENS = 765;

/** Maximum number of cached counts. When it is reached, the cache is cleared. */
const MAX_CACHED = 50_000;

export interface PromptCount {
  promptTokens: number;
  messageTokens: number;
  toolTokens: number;
  /** Tokens of the tools and messages at the start that are the same as in the request before. */
  cachedTokens: number;
}

/**
 * Counts the prompts of one server: 4 tokens for each message, its text, name and reasoning, the names and arguments of
 * its tool calls, the tools' JSON, and 3 tokens for priming. For known messages it only computes a hash.
 */
export class PromptCounter {
  readonly #count: (text: string) => number;
  readonly #known = new Map<string, number>();
  #previous: readonly string[] = [];

  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  /** Counts a prompt. Does not change the prompt that `cachedTokens` are compared with; `remember` does. */
  count(request: ChatCompletionRequest): PromptCount & { prefix: readonly string[] } {
    const blocks = [
      this.#toolBlock(request.tools ?? []),
      ...request.messages.map((message) => this.#messageBlock(message)),
    ];
    const [toolTokens = 0, ...messages] = blocks.map((block) => block.tokens);
    const messageTokens = sum(messages) + PRIMING_TOKENS;
    const prefix = blocks.map((block) => block.key);
    const shared = sharedLength(prefix, this.#previous);
    return {
      promptTokens: toolTokens + messageTokens,
      messageTokens,
      toolTokens,
      cachedTokens: shared < 2 ? 0 : sum(blocks.slice(0, shared).map((block) => block.tokens)),
      prefix,
    };
  }

  /** Stores the prompt that the model has read, for the `cachedTokens` of the next one. */
  remember(prefix: readonly string[]): void {
    this.#previous = prefix;
  }

  #toolBlock(tools: readonly ChatTool[]): Block {
    const json = tools.length === 0 ? '' : JSON.stringify(tools);
    return this.#block(`tools ${json}`, () => this.#count(json));
  }

  #messageBlock(message: ChatMessage): Block {
    return this.#block(JSON.stringify(message), () => MESSAGE_TOKENS + this.#messageTokens(message));
  }

  #messageTokens({ content, name, reasoning_content, tool_calls }: ChatMessage): number {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    const calls = tool_calls?.flatMap((call) => [call.function.name, call.function.arguments]) ?? [];
    const texts = [name ?? '', reasoning_content ?? '', ...calls];
    return sum(parts.map((part) => this.#partTokens(part))) + sum(texts.map(this.#count));
  }

  #partTokens(part: ChatContentPart): number {
    const text = textOfPart(part);
    return text === undefined ? MEDIA_TOKENS : this.#count(text);
  }

  #block(content: string, countTokens: () => number): Block {
    const key = createHash('sha256').update(content).digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined) return { key, tokens: known };
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    const tokens = countTokens();
    this.#known.set(key, tokens);
    return { key, tokens };
  }
}

interface Block {
  key: string;
  tokens: number;
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((key, index) => key !== other[index]);
  return end === -1 ? one.length : end;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
