import { createHash } from 'node:crypto';
import type { ChatCompletionRequest, ChatContentPart, ChatMessage, ChatTool } from '@longhaul/protocol';
import { textOfPart } from './messages.ts';

/** OpenAI's chat format: every message is wrapped, and the reply is primed. */
const MESSAGE_TOKENS = 4;
const PRIMING_TOKENS = 3;

/** Any image or file, whatever its size: what OpenAI charges for a picture of 1024 × 1024 pixels in high detail. */
export const MEDIA_TOKENS = 765;

/** Counts are kept by the message's hash; beyond this many, counting starts anew. */
const MAX_CACHED = 50_000;

export interface PromptCount {
  promptTokens: number;
  messageTokens: number;
  toolTokens: number;
  /** Tokens of tools and messages, from the beginning, that the request before had too. */
  cachedTokens: number;
}

/**
 * Counts prompts of one server: 4 a message, its text, name and reasoning, name and arguments of its tool calls, the tools' JSON, 3 for
 * priming. Messages seen before cost a hash only.
 */
export class PromptCounter {
  readonly #count: (text: string) => number;
  readonly #known = new Map<string, number>();
  #previous: readonly string[] = [];

  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  /** Does not change what the next request's `cachedTokens` are compared with: that is `remember`'s. */
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

  /** The model has read this prompt: the next one may share its beginning. */
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
