import type { Config } from '@longhaul/config';
import { expandBlobReferences, type NextRequest } from '@longhaul/core';
import { type JsonValue, LonghaulError, type Session } from '@longhaul/protocol';
import { isImportedModel } from '../import/imported-model.ts';
import { resolveNamed } from './choose-model.ts';
import { createDriver } from './create-driver.ts';
import type { Storage } from './open-storage.ts';

export interface NativeRequestOptions {
  config: Config;
  storage: Storage;
  session: Session;
  /** The session's own address, if it has one. */
  address: () => Promise<string | undefined>;
  /** Default 32,000. It matters only to the room for the answer. */
  windowTokens: number | undefined;
}

export interface NativeRequest {
  url: string;
  body: JsonValue;
}

const ANY_WINDOW = 32_000;

/**
 * Returns the request as the model's API gets it: the driver builds it, and nothing is sent. Needs no key.
 *
 * @throws {LonghaulError} `model_not_configured` for an imported session without a configured model; as `resolveNamed`.
 */
export async function nativeRequest(
  { system, tools, messages }: NextRequest,
  options: NativeRequestOptions,
): Promise<NativeRequest> {
  const { config, storage, session } = options;
  let sent: NativeRequest | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (typeof init?.body === 'string') sent ??= { url, body: JSON.parse(init.body) };
    throw new Error('Nothing is sent.');
  };
  const { driver } = await createDriver(await modelOf(options), {
    stallMs: 0,
    memory: Promise.resolve(storage.servers),
    window: options.windowTokens ?? ANY_WINDOW,
    offline: { fetch },
  });
  const { blobs } = storage;
  const { accepts } = driver.info;
  const expanded = await expandBlobReferences(
    messages.map(({ message }) => message),
    { blobs, accepts },
  );
  const stream = driver.step({
    system,
    tools,
    messages: expanded,
    maxOutputTokens: driver.info.maxOutputTokens,
    cacheKey: session.id,
    signal: new AbortController().signal,
  });
  let failure: LonghaulError | undefined;
  for await (const event of stream) if (event.type === 'error') failure ??= event.error;
  if (sent !== undefined) return sent;
  throw (
    failure ?? new LonghaulError('internal', `No request was built for ${config.model ?? session.model}.`)
  );
}

async function modelOf({ config, session, address }: NativeRequestOptions) {
  const isImported = isImportedModel(session.model);
  const model = isImported ? config.model : session.model;
  if (model === undefined) {
    throw new LonghaulError(
      'model_not_configured',
      'This session was imported, so its requests have no model yet. Name one: set `model` in the configuration, or leave out --json.',
    );
  }
  const choice = { model, baseUrl: isImported ? undefined : await address() };
  // Stands for the key: nothing is sent.
  return resolveNamed(config, choice, { LONGHAUL_API_KEY: 'not-a-key' });
}
