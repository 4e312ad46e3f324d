import { mapProviderError } from '@longhaul/models';
import type { ModelAccess } from '../access.ts';
import type { CallTarget } from '../step-failure.ts';

/** The request headers that an SDK may set. Those of the configuration are added later. */
const SDK_HEADERS = /^(accept|content-type|user-agent|anthropic-(version|beta)|x-stainless-.*)$/i;

export interface SdkFetchOptions extends Pick<ModelAccess, 'fetch'> {
  target: CallTarget;
  /** The headers with the key. */
  keyHeaders: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * Wraps `fetch` for the SDK of a provider: sends no header that the SDK takes from environment variables, because such
 * headers belong to another address; ends the request with the guard's signal; and throws a refusal as it was sent,
 * because the SDKs keep only a part of its body.
 */
export function createSdkFetch({
  fetch,
  target,
  keyHeaders,
  signal,
}: SdkFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(keyHeaders);
    for (const [name, value] of new Headers(init?.headers)) {
      if (SDK_HEADERS.test(name)) headers.set(name, value);
    }
    const url = String(input instanceof Request ? input.url : input);
    let response: Response;
    try {
      response = await fetch(input, { ...init, headers, signal });
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown.name === 'LonghaulError') throw thrown;
      throw mapProviderError({ message: thrown.message, url, cause: thrown, ...target });
    }
    if (response.ok) return response;
    throw mapProviderError({
      status: response.status,
      body: await response.text().catch(() => undefined),
      headers: Object.fromEntries(response.headers),
      url,
      ...target,
    });
  };
}

/** Options of the SDKs' clients that leave retries, timeouts and messages to Longhaul. */
export const QUIET = {
  maxRetries: 0,
  logLevel: 'off',
  // The longest delay of a timer. The request guard notices silence.
  timeout: 2_147_483_647,
} as const;
