import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { mapProviderError, readWhole } from '@longhaul/models';
import { isObject, type JsonObject, type JsonValue, LonghaulError, parseJson } from '@longhaul/protocol';
import type { CallTarget } from './step-failure.ts';
import type { StepModel } from './step-model.ts';

/** A request to another operation of the API about the prompt of a model call, made from the request of that call. */
export interface Aside<Result> {
  of(url: string, body: JsonObject): { url: string; body: JsonObject; headers?: Record<string, string> };
  /** Reads the answer. Undefined if it does not have the expected form. */
  read(answer: JsonValue): Result | undefined;
}

export interface Asides {
  /** For the client of the model. */
  fetch: typeof globalThis.fetch;
  /** @throws {LonghaulError} */
  ask<Result>(model: StepModel, options: LanguageModelV4CallOptions, aside: Aside<Result>): Promise<Result>;
}

type Answer = (url: string, init: RequestInit) => Promise<never>;

/**
 * Lets a driver ask about a prompt in exactly the form in which its client would send it: the client builds its request
 * as for a model call, and the request that leaves is another one. This works with each client, whatever it knows of
 * the operation.
 */
export function createAsides(fetch: typeof globalThis.fetch, target: CallTarget): Asides {
  const waiting = new WeakMap<AbortSignal, Answer>();
  return {
    fetch(input, init) {
      const answer = init?.signal ? waiting.get(init.signal) : undefined;
      if (answer === undefined || init === undefined) return fetch(input, init);
      return answer(String(input instanceof Request ? input.url : input), init);
    },
    async ask<Result>(model: StepModel, options: LanguageModelV4CallOptions, aside: Aside<Result>) {
      const result = Promise.withResolvers<Result>();
      const ended = new AbortController();
      const signal = AbortSignal.any([ended.signal, ...(options.abortSignal ? [options.abortSignal] : [])]);
      waiting.set(signal, async (url, init) => {
        const sent = request(aside, url, init);
        exchange(fetch, sent, { ...init, signal }, aside, target).then(result.resolve, result.reject);
        // The client needs no answer: its own request is never made.
        await result.promise;
        throw new LonghaulError('internal', 'This request was replaced by another one.');
      });
      // Without a request, the client has refused the prompt itself.
      const building = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
      building.then(() => result.reject(noRequest()), result.reject);
      try {
        return await result.promise;
      } finally {
        ended.abort();
      }
    },
  };
}

function request<Result>(aside: Aside<Result>, url: string, { body }: RequestInit) {
  const parsed: JsonValue = typeof body === 'string' ? JSON.parse(body) : null;
  if (!isObject(parsed)) throw noRequest();
  return aside.of(url, parsed);
}

async function exchange<Result>(
  fetch: typeof globalThis.fetch,
  { url, body, headers = {} }: ReturnType<Aside<Result>['of']>,
  init: RequestInit,
  aside: Aside<Result>,
  target: CallTarget,
): Promise<Result> {
  const merged = new Headers(init.headers);
  for (const [name, value] of Object.entries(headers))
    if (merged.get(name)?.includes(value) !== true) merged.append(name, value);
  const response = await fetch(url, { ...init, headers: merged, body: JSON.stringify(body) });
  const text = await readWhole(response);
  if (!response.ok) {
    const { status } = response;
    throw mapProviderError({
      status,
      body: text,
      headers: Object.fromEntries(response.headers),
      url,
      operation: new URL(url).pathname,
      ...target,
    });
  }
  const result = aside.read(parseJson(text) ?? null);
  if (result !== undefined) return result;
  throw new LonghaulError(
    'provider_bad_response',
    `${target.provider} answered ${new URL(url).pathname} in an unexpected form: ${JSON.stringify(text.slice(0, 200))}.`,
    { data: { provider: target.provider, model: target.model } },
  );
}

function noRequest(): LonghaulError {
  return new LonghaulError('internal', 'The client made no request with a JSON object.');
}

/** Returns the fields of an object that are present. */
export function pick(body: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key)));
}
