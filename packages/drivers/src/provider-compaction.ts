import type { ProviderCompaction, ProviderCompactionRequest } from '@longhaul/core';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  LonghaulError,
  type TokenUsage,
} from '@longhaul/protocol';
import { type Aside, pick } from './aside.ts';
import type { ProviderKind } from './wire-profile.ts';

/**
 * Ways in which a provider summarises a conversation, best first. A later one is tried if the provider knows no other.
 */
type Ways = (request: ProviderCompactionRequest) => readonly Aside<ProviderCompaction>[];

/** Only the native clients send the result back. */
export const PROVIDER_COMPACTIONS: Partial<Record<ProviderKind, Ways>> = {
  anthropic: () => [ON_DEMAND, AT_THRESHOLD],
  openai: (request) => [responsesCompact(request)],
};

/** Makes the compaction in the first way that the provider knows. @throws {LonghaulError} */
export async function compactBy(
  ways: readonly Aside<ProviderCompaction>[],
  ask: (way: Aside<ProviderCompaction>) => Promise<ProviderCompaction>,
): Promise<ProviderCompaction> {
  const [way, ...rest] = ways;
  if (way === undefined) throw new LonghaulError('internal', 'There is no way to compact.');
  try {
    return await ask(way);
  } catch (error) {
    const isUnknown = error instanceof LonghaulError && error.code === 'provider_bad_request';
    if (!isUnknown || rest.length === 0) throw error;
    return compactBy(rest, ask);
  }
}

/** The beta of requests that make a compaction block on demand, or have one. */
export const ANTHROPIC_COMPACTION_BETA = 'compact-2026-09-04';

/** https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand */
const ON_DEMAND: Aside<ProviderCompaction> = {
  of: (url, body) => ({
    url,
    body: { ...notStreamed(body), compaction: { type: 'summarize' } },
    headers: { 'anthropic-beta': ANTHROPIC_COMPACTION_BETA },
  }),
  read: readMessage,
};

/** The least that the API accepts. Below it, it compacts nothing. */
const LEAST_TRIGGER = 50_000;

/** https://platform.claude.com/docs/en/build-with-claude/compaction-threshold */
const AT_THRESHOLD: Aside<ProviderCompaction> = {
  of(url, body) {
    const trigger = { type: 'input_tokens', value: LEAST_TRIGGER };
    const edit = { type: 'compact_20260112', trigger, pause_after_compaction: true };
    return {
      url,
      body: { ...notStreamed(body), context_management: { edits: [edit] } },
      headers: { 'anthropic-beta': 'compact-2026-01-12' },
    };
  },
  read: readMessage,
};

function notStreamed(body: JsonObject): JsonObject {
  const { stream: _, ...rest } = body;
  return rest;
}

/** A block without content stands for a summary that failed. */
function readMessage(answer: JsonValue): ProviderCompaction | undefined {
  const content = isObject(answer) ? answer['content'] : undefined;
  const block = Array.isArray(content) ? content.find(isCompaction) : undefined;
  if (!isObject(block) || typeof block['content'] !== 'string' || block['content'] === '') return undefined;
  return { items: [block], usage: messageUsage(isObject(answer) ? answer['usage'] : undefined) };
}

function isCompaction(block: JsonValue): boolean {
  return isObject(block) && block['type'] === 'compaction';
}

/** The numbers at the top leave out the tokens of the compaction, which are an iteration of their own. */
function messageUsage(usage: JsonValue | undefined): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isObject) : [];
  const counted = iterations.length > 0 ? iterations : [usage];
  const sum = (key: string) => counted.reduce((total, each) => total + numberOf(each[key]), 0);
  const cacheReadTokens = sum('cache_read_input_tokens');
  const cacheWriteTokens = sum('cache_creation_input_tokens');
  const inputTokens = sum('input_tokens') + cacheReadTokens + cacheWriteTokens;
  const outputTokens = sum('output_tokens');
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: 0,
    cacheReadTokens,
    cacheWriteTokens,
    totalTokens: inputTokens + outputTokens,
  };
}

const COMPACT_FIELDS = [
  'model',
  'input',
  'instructions',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
];

/**
 * The answer has all user messages and one item for the rest. Messages that stay in the view are not kept twice.
 *
 * https://developers.openai.com/api/docs/guides/compaction
 */
function responsesCompact({ kept }: ProviderCompactionRequest): Aside<ProviderCompaction> {
  const texts = new Set(
    kept.map(({ content }) => content.map((part) => ('text' in part ? part.text : '')).join('')),
  );
  return {
    of(url, body) {
      const whole = new URL(url);
      whole.pathname += '/compact';
      return { url: String(whole), body: pick(body, COMPACT_FIELDS) };
    },
    read(answer) {
      const output = isObject(answer) ? answer['output'] : undefined;
      if (!isObject(answer) || !Array.isArray(output) || !output.some(isCompaction)) return undefined;
      const items = output.filter((item) => !texts.has(textOf(item) ?? ''));
      return { items, usage: responsesUsage(answer['usage']) };
    },
  };
}

/** Returns the text of a user message, or undefined for another item. */
function textOf(item: JsonValue): string | undefined {
  if (!isObject(item) || item['role'] !== 'user') return undefined;
  const { content } = item;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : undefined;
  return content.map((part) => (isObject(part) ? String(part['text'] ?? '') : '')).join('');
}

function responsesUsage(usage: JsonValue | undefined): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const inputTokens = numberOf(usage['input_tokens']);
  const outputTokens = numberOf(usage['output_tokens']);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: detailOf(usage['output_tokens_details'], 'reasoning_tokens'),
    cacheReadTokens: detailOf(usage['input_tokens_details'], 'cached_tokens'),
    cacheWriteTokens: detailOf(usage['input_tokens_details'], 'cache_write_tokens'),
    totalTokens: inputTokens + outputTokens,
  };
}

function detailOf(details: JsonValue | undefined, key: string): number {
  return isObject(details) ? numberOf(details[key]) : 0;
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
