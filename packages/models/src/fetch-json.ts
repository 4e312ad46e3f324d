import { readWhole } from './bounded-body.ts';
import { patientDeadline } from './patient-deadline.ts';
import { serverFetch } from './server-fetch.ts';

export interface FetchJsonOptions {
  fetch?: typeof fetch;
  apiKey?: string;
  signal?: AbortSignal;
  timeoutMs: number;
  /** Sent as JSON in a POST request. */
  body?: unknown;
}

/** Returns the JSON of a 2xx answer, and undefined in all other cases. Never throws. */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  using deadline = patientDeadline(options.timeoutMs);
  try {
    const response = await serverFetch(options.fetch)(url, {
      method: options.body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([options.signal, deadline.signal]) : deadline.signal,
    });
    if (response.ok) return JSON.parse(await readWhole(response));
    await response.body?.cancel();
    return undefined;
  } catch {
    // A probe asks servers that may not exist or may have another API. No answer is a valid result.
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects of the list at `key`; an empty list if there is no such list. */
export function recordsAt(value: unknown, key: string): Record<string, unknown>[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function textAt(value: unknown, key: string): string | undefined {
  const text = isRecord(value) ? value[key] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Returns the positive integer at `key`. */
export function countAt(value: unknown, key: string): number | undefined {
  const count = isRecord(value) ? value[key] : undefined;
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}
