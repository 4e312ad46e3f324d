import OpenAI from 'openai';
import type { ModelAccess } from '../access.ts';
import { createSdkFetch, QUIET } from '../native/sdk-fetch.ts';
import type { CallTarget } from '../step-failure.ts';

export interface OpenAiModelOptions extends ModelAccess {
  target: CallTarget;
}

/** Creates a client for one call, because its `fetch` ends with the call's signal. */
export function createOpenAiClient(
  options: OpenAiModelOptions & { baseURL: string },
  signal: AbortSignal = new AbortController().signal,
): OpenAI {
  const { apiKey, baseURL } = options;
  return new OpenAI({
    ...QUIET,
    baseURL,
    // The SDK requires a key. `keyHeaders` decides what is sent.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch: createSdkFetch({
      ...options,
      keyHeaders: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal,
    }),
  });
}
