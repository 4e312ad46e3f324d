import type { IncomingMessage } from 'node:http';
import type { ObservedUsage } from '../compaction/types.ts';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import type { Way } from './way.ts';

export function isStream({ headers }: IncomingMessage): boolean {
  return /event-stream|x-ndjson/.test(headers['content-type'] ?? '');
}

/** Returns an event, or a whole answer, that is a JSON object. The client gets other bytes and reports the error itself. */
export function parsedEvent(data: string): Json | undefined {
  if (!data.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the usage in a whole answer. */
export function usageIn(way: Way, answer: Json): ObservedUsage | undefined {
  return observed(way.usageOf(answer) ?? {});
}

/** Returns undefined if the upstream reports no prompt tokens. */
export function observed({
  promptTokens,
  completionTokens,
}: Partial<ObservedUsage>): ObservedUsage | undefined {
  return promptTokens === undefined ? undefined : { promptTokens, completionTokens };
}
