import { fetchJson } from '@longhaul/models';
import type { Upstream } from './upstream.ts';

const TIMEOUT_MS = 3_000;

export interface ServerQuestion {
  /** Sent as JSON with POST. */
  body: unknown;
  apiKey: string | undefined;
  signal: AbortSignal | undefined;
  timeoutMs?: number;
}

/**
 * Calls an endpoint of a server outside `/v1` and returns its JSON; undefined on a timeout, an error or invalid JSON.
 * Never throws. Callers do without the answer.
 */
export async function askServer(
  upstream: Upstream,
  path: string,
  { body, apiKey, signal, timeoutMs = upstream.askTimeoutMs ?? TIMEOUT_MS }: ServerQuestion,
): Promise<unknown> {
  const url = upstream.baseUrl.replace(/\/v1$/, '') + path;
  return fetchJson(url, { body, apiKey, signal, timeoutMs, fetch: upstream.process?.fetch });
}
