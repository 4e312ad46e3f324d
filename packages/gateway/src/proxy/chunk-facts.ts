import { isTokenCount } from '@longhaul/models';
import type { ObservedUsage } from '../compaction/types.ts';
import { isRecord } from '../wire/is-record.ts';

/** The fields that all chunks of one answer share. */
export interface StreamIdentity {
  id: string;
  created: number;
  model: string;
  system_fingerprint?: unknown;
}

/** The parts of one stream event that the gateway uses. */
export interface ChunkFacts {
  json: Record<string, unknown>;
  /** Everything that the model wrote in it: text, reasoning, refusal, tool calls. */
  written: string;
  text: string;
  reasoning: string;
  hasRole: boolean;
  hasToolCall: boolean;
  /** The chunk belongs to a stream of one answer, which can be stopped and continued. */
  isSingle: boolean;
  finishReason: string | undefined;
  usage: Record<string, unknown> | undefined;
  /** The chunk contains only usage. */
  isUsageOnly: boolean;
  /** The event contains an error instead of a chunk. */
  isError: boolean;
}

/**
 * Returns undefined for an event that is not a JSON object, such as broken JSON. Such an event is passed on unchanged.
 */
export function readChunk(data: string, eventName: string | undefined): ChunkFacts | undefined {
  const json = parse(data);
  if (json === undefined) return undefined;
  const { choices, error } = json;
  const usage = isRecord(json['usage']) ? json['usage'] : undefined;
  const facts: ChunkFacts = {
    json,
    written: '',
    text: '',
    reasoning: '',
    hasRole: false,
    hasToolCall: false,
    isSingle: true,
    finishReason: undefined,
    usage,
    isUsageOnly: usage !== undefined && Array.isArray(choices) && choices.length === 0,
    isError: eventName === 'error' || isRecord(error) || typeof error === 'string',
  };
  // This runs for every chunk of every stream, so it allocates as little as possible.
  if (Array.isArray(choices)) for (const choice of choices) if (isRecord(choice)) addChoice(facts, choice);
  return facts;
}

function addChoice(facts: ChunkFacts, choice: Record<string, unknown>): void {
  const { index, delta, finish_reason: finishReason } = choice;
  if (index !== undefined && index !== 0) facts.isSingle = false;
  if (typeof finishReason === 'string') facts.finishReason ??= finishReason;
  if (!isRecord(delta)) return;
  const text = textOf(delta['content']);
  const reasoning = textOf(delta['reasoning_content'] ?? delta['reasoning']);
  facts.text += text;
  facts.reasoning += reasoning;
  facts.written += text + reasoning + textOf(delta['refusal']);
  if (typeof delta['role'] === 'string') facts.hasRole = true;
  if (isRecord(delta['function_call'])) facts.hasToolCall = true;
  const { tool_calls: calls } = delta;
  if (!Array.isArray(calls) || calls.length === 0) return;
  facts.hasToolCall = true;
  for (const call of calls) facts.written += callText(call);
}

/** Returns undefined if the upstream reports no prompt tokens, or a number that cannot be true. */
export function observedUsage(usage: unknown): ObservedUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  if (!isTokenCount(promptTokens) || promptTokens === 0) return undefined;
  return { promptTokens, completionTokens: isTokenCount(completionTokens) ? completionTokens : undefined };
}

/** Adds the numbers of two usages, including nested ones. For other values, `other` wins. */
export function addUsages(
  one: Record<string, unknown> | undefined,
  other: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: Record<string, unknown> = { ...one, ...other };
  for (const [key, value] of Object.entries(one)) {
    const added = other[key];
    if (typeof value === 'number' && typeof added === 'number') sum[key] = value + added;
    else if (isRecord(value) && isRecord(added)) sum[key] = addUsages(value, added);
  }
  return sum;
}

function parse(data: string): Record<string, unknown> | undefined {
  if (data.charCodeAt(0) !== 0x7b) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    // The client gets the upstream's bytes and reports the error itself.
    return undefined;
  }
}

/** Returns the fields that a chunk shares with the others of its answer. */
export function identityOf(json: Record<string, unknown>): StreamIdentity {
  const { id, created, model, system_fingerprint } = json;
  return {
    id: typeof id === 'string' ? id : '',
    created: typeof created === 'number' ? created : 0,
    model: typeof model === 'string' ? model : '',
    system_fingerprint,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function callText(call: unknown): string {
  const called = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
  return textOf(called['name']) + textOf(called['arguments']);
}
