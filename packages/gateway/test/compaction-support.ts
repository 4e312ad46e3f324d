import type { SummaryReply } from '@longhaul/context/engine';
import type { CacheStore, Tokenizer } from '@longhaul/models';
import type { ChatMessage } from '@longhaul/protocol';
import {
  type CompactionAsk,
  type ConversationContextOptions,
  createConversationContext,
} from '../src/index.ts';

/** A tokenizer with four characters per token that records the texts it counts. */
export function countingTokenizer(): Tokenizer & { counted: string[] } {
  const counted: string[] = [];
  return {
    family: 'o200k',
    exact: true,
    counted,
    count(text) {
      counted.push(text);
      return Math.ceil(text.length / 4);
    },
  };
}

/** A cache in memory that counts its writes. */
export function mapCache(): CacheStore & { values: Map<string, string>; writes: number } {
  const values = new Map<string, string>();
  return {
    values,
    writes: 0,
    get: async (key) => values.get(key),
    async getFirst(keys) {
      const key = keys.find((candidate) => values.has(candidate));
      const value = key === undefined ? undefined : values.get(key);
      return key === undefined || value === undefined ? undefined : { key, value };
    },
    async set(key, value) {
      this.writes += 1;
      values.set(key, value);
    },
    async delete(key) {
      values.delete(key);
    },
  };
}

/** A compacting model that records its requests. By default it keeps no message and writes a numbered summary. */
export function selectingModel(answer?: (ask: CompactionAsk) => SummaryReply | Promise<SummaryReply>) {
  const asks: CompactionAsk[] = [];
  const askModel = async (ask: CompactionAsk): Promise<SummaryReply> => {
    asks.push(ask);
    if (answer !== undefined) return answer(ask);
    const text = JSON.stringify({
      keep: [],
      condense: [],
      summary: `This is summary ${asks.length} of the talk.`,
    });
    return { status: 'ok', text, finishedBy: 'stop' };
  };
  return { asks, askModel };
}

export function contextWith(options: Partial<ConversationContextOptions> = {}) {
  const tokenizer = countingTokenizer();
  const cache = mapCache();
  const context = createConversationContext({
    tokenizerFor: async () => tokenizer,
    cache,
    now: () => 1_700_000_000_000,
    ...options,
  });
  return { context, tokenizer, cache };
}

export const SYSTEM: ChatMessage = { role: 'system', content: 'You are a helpful assistant.' };

export function user(content: string): ChatMessage {
  return { role: 'user', content };
}

export function assistant(content: string): ChatMessage {
  return { role: 'assistant', content };
}

/** Returns text that differs for each seed, so that no two messages are equal. */
export function words(seed: number, chars: number): string {
  let text = '';
  for (let index = 0; text.length < chars; index += 1)
    text += `${NOUNS[(seed * 7 + index * 3) % NOUNS.length]} ${seed}-${index} `;
  return text.slice(0, chars);
}

const NOUNS = [
  'river',
  'engine',
  'window',
  'ledger',
  'garden',
  'signal',
  'harbour',
  'copper',
  'meadow',
  'thread',
  'anchor',
];

/**
 * A conversation that ends with its question number `turns`. Answers have about `chars` characters, questions about a
 * third of that.
 */
export function chat(turns: number, chars = 600): ChatMessage[] {
  const messages: ChatMessage[] = [SYSTEM];
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push(user(`Question ${turn}: ${words(turn, chars / 3)}`));
    if (turn < turns) messages.push(assistant(`Answer ${turn}: ${words(turn + 5_000, chars)}`));
  }
  return messages;
}

export function textsOf(messages: readonly ChatMessage[]): string {
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
}
