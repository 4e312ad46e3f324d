import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import {
  API_ROUTES,
  type ApiRoute,
  type BodyInputOf,
  type OperationName,
  type ParamsOf,
  type QueryInputOf,
  type ResponseOf,
} from '@longhaul/protocol/api';
import { backoffMs, sleep } from './backoff.ts';
import type { ClientOptions } from './client-options.ts';
import { networkError, responseError, unreadable } from './response-error.ts';

export interface CallInput<Name extends OperationName> {
  params?: ParamsOf<Name>;
  query?: QueryInputOf<Name>;
  body?: BodyInputOf<Name>;
  /** In place of a JSON body. */
  bytes?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
  /** The server answers a repeated key as at first: the request may be repeated. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Makes the requests of the API's table, and repeats those that may be. */
export class Caller {
  readonly #options: ClientOptions;
  readonly #base: string;

  /** @throws {LonghaulError} `usage` for an address or a token that no request can have. */
  constructor(options: ClientOptions) {
    const token = options.token?.trim();
    if (!URL.canParse(options.baseUrl) || !/^https?:/i.test(options.baseUrl)) {
      throw new LonghaulError(
        'usage',
        `baseUrl is "${options.baseUrl}"; expected the server's address, such as http://127.0.0.1:4140.`,
      );
    }
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new LonghaulError(
        'usage',
        'token must be one word of visible ASCII characters: what stands in the token file of `longhaul serve`.',
      );
    }
    this.#options = { ...options, ...(token === undefined ? {} : { token }) };
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * The answer, checked against its schema.
   *
   * @throws {LonghaulError} with the server's code; `server_unreachable`, `server_bad_response`, `cancelled`.
   */
  async call<Name extends OperationName>(name: Name, input: CallInput<Name> = {}): Promise<ResponseOf<Name>> {
    const response = await this.open(name, input);
    const route: ApiRoute = API_ROUTES[name];
    const body = await this.#read(response, input.signal);
    const parsed = route.response?.safeParse(body);
    if (parsed?.success === false)
      throw unreadable(`The answer to ${route.method} ${route.path}`, parsed.error);
    // The schema that has just been used is the one that the type is made of.
    return parsed?.data as ResponseOf<Name>;
  }

  /** The response itself, once its status is a good one. */
  async open<Name extends OperationName>(name: Name, input: CallInput<Name> = {}): Promise<Response> {
    const { retries = 3, retryDelayMs = 500 } = this.#options;
    const { method }: ApiRoute = API_ROUTES[name];
    const mayRepeat = method === 'GET' || method === 'PUT' || input.idempotencyKey !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.openOnce(name, input);
      } catch (thrown) {
        const error = toLonghaulError(thrown);
        if (!mayRepeat || !error.retryable || attempt > retries) throw error;
        await sleep(delayFor(error, attempt, retryDelayMs), input.signal);
      }
    }
  }

  async openOnce<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<Response> {
    const route: ApiRoute = API_ROUTES[name];
    const url = this.#url(route, input);
    const send = this.#options.fetch ?? globalThis.fetch;
    const response = await send(url, this.#init(route, input)).catch((thrown: unknown) => {
      throw networkError(thrown, url, input.signal);
    });
    if (response.ok) return response;
    throw await responseError(response);
  }

  async #read(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
    if (response.status === 204) return undefined;
    const text = await response.text().catch((thrown: unknown) => {
      throw networkError(thrown, new URL(response.url), signal);
    });
    try {
      return JSON.parse(text);
    } catch (error) {
      throw unreadable(`The answer of ${response.url}`, error);
    }
  }

  #url(route: ApiRoute, { params, query }: { params?: unknown; query?: unknown }): URL {
    const values = new Map(Object.entries(params ?? {}));
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values.get(name))),
    );
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  #init(
    { method }: ApiRoute,
    {
      body,
      bytes,
      idempotencyKey,
      headers = {},
      signal,
    }: Pick<CallInput<OperationName>, 'bytes' | 'idempotencyKey' | 'headers' | 'signal'> & { body?: unknown },
  ): RequestInit {
    const { token } = this.#options;
    const json = method === 'GET' || bytes !== undefined ? undefined : JSON.stringify(body ?? {});
    const content = bytes ?? (method === 'DELETE' ? undefined : json);
    return {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(content === undefined
          ? {}
          : { 'content-type': bytes === undefined ? 'application/json' : 'application/octet-stream' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      body: content,
      signal,
    };
  }
}

export function delayFor(error: LonghaulError, attempt: number, firstMs: number): number {
  const asked = error.data['retryAfterMs'];
  return Math.max(typeof asked === 'number' ? asked : 0, backoffMs(attempt, firstMs));
}
