import type { ObservedUsage } from '../compaction/types.ts';
import { isRecord } from '../wire/is-record.ts';

/** What all chunks of one answer have in common. */
export interface StreamIdentity {
  id: string;
  created: number;
  model: string;
  system_fingerprint?: unknown;
}

/** What one event of a stream says, as far as the gateway needs to know. */
export interface ChunkFacts {
  json: Record<string, unknown>;
  /** Everything that the model wrote in it: text, reasoning, calls. */
  written: string;
  text: string;
  reasoning: string;
  hasRole: boolean;
  hasToolCall: boolean;
  /** Only one answer is written, so that it can be stopped and gone on with. */
  isSingle: boolean;
  finishReason: string | undefined;
  usage: Record<string, unknown> | undefined;
  /** A chunk that holds nothing but the usage. */
  isUsageOnly: boolean;
  /** The error that the event holds instead. */
  isError: boolean;
}

/** Undefined for what is no chunk: another server's event, broken JSON. It passes as it is. */
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
  // Every chunk of every stream comes by here: nothing is made that is not needed.
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

/** Undefined where the upstream does not say. */
export function observedUsage(usage: unknown): ObservedUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  if (typeof promptTokens !== 'number' || promptTokens <= 0) return undefined;
  return { promptTokens, ...(typeof completionTokens === 'number' ? { completionTokens } : {}) };
}

/** Numbers are added, also in nested details; of anything else, the newer one stays. */
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
    // The client is to see what the upstream sent, and to judge it.
    return undefined;
  }
}

/** What a chunk has in common with the others of its answer. */
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
