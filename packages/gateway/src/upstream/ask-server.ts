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
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(upstream.baseUrl.replace(/\/v1$/, '') + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
