import type { ObservedUsage } from '../compaction/types.ts';
import { isRecord } from '../wire/is-record.ts';
import type { StreamIdentity } from './client-stream.ts';

/** What one event of a stream says, as far as the gateway needs to know. */
export interface ChunkFacts {
  json: Record<string, unknown>;
  identity: StreamIdentity;
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
  const choices = Array.isArray(json['choices']) ? json['choices'].filter(isRecord) : [];
  const deltas = choices.map((choice) => (isRecord(choice['delta']) ? choice['delta'] : {}));
  const text = deltas.map((delta) => textOf(delta['content'])).join('');
  const reasoning = deltas.map((delta) => textOf(delta['reasoning_content'] ?? delta['reasoning'])).join('');
  const calls = deltas.flatMap((delta) => (Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []));
  const usage = isRecord(json['usage']) ? json['usage'] : undefined;
  return {
    json,
    identity: identityOf(json),
    text,
    reasoning,
    written:
      text +
      reasoning +
      calls.map(callText).join('') +
      deltas.map((delta) => textOf(delta['refusal'])).join(''),
    hasRole: deltas.some((delta) => typeof delta['role'] === 'string'),
    hasToolCall: calls.length > 0 || deltas.some((delta) => isRecord(delta['function_call'])),
    isSingle: choices.every((choice) => choice['index'] === undefined || choice['index'] === 0),
    finishReason: choices
      .map((choice) => choice['finish_reason'])
      .find((reason) => typeof reason === 'string'),
    usage,
    isUsageOnly: usage !== undefined && Array.isArray(json['choices']) && choices.length === 0,
    isError: eventName === 'error' || isRecord(json['error']) || typeof json['error'] === 'string',
  };
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

function identityOf(json: Record<string, unknown>): StreamIdentity {
  const { id, created, model, system_fingerprint } = json;
  return {
    id: typeof id === 'string' ? id : '',
    created: typeof created === 'number' ? created : 0,
    model: typeof model === 'string' ? model : '',
    ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function callText(call: unknown): string {
  const called = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
  return textOf(called['name']) + textOf(called['arguments']);
}
