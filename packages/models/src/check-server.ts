import { LonghaulError } from '@longhaul/protocol';
import { patientDeadline } from './patient-deadline.ts';
import { mapProviderError } from './provider-errors/map-provider-error.ts';
import { serverFetch } from './server-fetch.ts';

export interface CheckServerOptions {
  baseUrl: string;
  provider: string;
  model: string;
  apiKey?: string;
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** Default 3000. */
  timeoutMs?: number;
}

/**
 * Checks whether a server answers. Every HTTP answer is accepted, except a refusal of the key and a redirect to another
 * address. Returns undefined if the check passes. Never throws.
 */
export async function checkServer(options: CheckServerOptions): Promise<LonghaulError | undefined> {
  const { baseUrl, provider, model, apiKey, timeoutMs = 3000 } = options;
  const url = `${baseUrl.replace(/\/+$/, '')}/models`;
  const target = { provider, model, url, secrets: apiKey === undefined ? undefined : [apiKey] };
  using deadline = patientDeadline(timeoutMs);
  try {
    const response = await serverFetch(options.fetch, target)(url, {
      headers: apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` },
      signal: options.signal ? AbortSignal.any([options.signal, deadline.signal]) : deadline.signal,
    });
    await response.body?.cancel();
    const isRefused = response.status === 401 || response.status === 403;
    return isRefused ? mapProviderError({ ...target, status: response.status }) : undefined;
  } catch (cause) {
    if (cause instanceof LonghaulError) return cause;
    return mapProviderError({ ...target, cause });
  }
}
