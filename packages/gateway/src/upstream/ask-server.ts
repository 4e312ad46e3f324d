import type { Upstream } from './upstream.ts';

const TIMEOUT_MS = 3_000;

/** An endpoint of a server's own, beside `/v1`. Undefined for whatever is no answer: it is asked in addition, never in need. */
export async function askServer(
  upstream: Upstream,
  path: string,
  body: unknown,
  signal?: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Promise<unknown> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(upstream.baseUrl.replace(/\/v1$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(upstream.apiKey === undefined ? {} : { authorization: `Bearer ${upstream.apiKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
