import { LonghaulError } from '@longhaul/protocol';
import type { ProviderKind } from './wire-profile.ts';

/** What a client needs to reach a model. */
export interface ModelAccess {
  kind: ProviderKind;
  provider: string;
  model: string;
  baseUrl?: string;
  apiKey?: string;
  fetch: typeof globalThis.fetch;
}

const LOCAL_URLS: Partial<Record<ProviderKind, string>> = {
  lmstudio: 'http://127.0.0.1:1234/v1',
  ollama: 'http://127.0.0.1:11434/v1',
};

/** Whether the kind speaks Chat Completions at an address of its own. */
export function isCompatible(kind: ProviderKind): boolean {
  return kind === 'openai-compatible' || kind === 'lmstudio' || kind === 'ollama' || kind === 'embedded';
}

/**
 * Returns the address of a compatible server.
 *
 * @throws {LonghaulError} `config_invalid` if it has no address.
 */
export function compatibleUrl({ kind, provider, baseUrl }: ModelAccess): string {
  const url = baseUrl ?? LOCAL_URLS[kind];
  if (url !== undefined) return url;
  throw new LonghaulError(
    'config_invalid',
    `The provider "${provider}" is OpenAI-compatible and needs its address. Set its baseUrl to something like http://127.0.0.1:8080/v1.`,
    { data: { provider } },
  );
}

/**
 * Returns the address and key of a hosted API. A custom address may need no key. The provider's own address needs one,
 * but would report that only after a request.
 *
 * @throws {LonghaulError} `key_missing` without a required key.
 */
export function hostedAccess({ provider, baseUrl, apiKey }: ModelAccess): {
  apiKey: string;
  baseURL?: string;
} {
  if (baseUrl !== undefined) return { apiKey: apiKey ?? 'none', baseURL: baseUrl };
  if (apiKey === undefined || apiKey === '') {
    throw new LonghaulError('key_missing', `The provider "${provider}" needs an API key. Set its apiKey.`, {
      data: { provider },
    });
  }
  return { apiKey };
}
