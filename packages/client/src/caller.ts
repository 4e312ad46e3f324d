import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { ADDRESSES, type Address } from '@longhaul/protocol/addresses';
import type {
  ApiRoute,
  BodyInputOf,
  OperationName,
  ParamsOf,
  QueryInputOf,
  ResponseOf,
} from '@longhaul/protocol/api';
import { backoffMs, sleep } from './backoff.ts';
import type { ClientOptions } from './client-options.ts';
import { isRedirect, networkError, redirectError, responseError, unreadable } from './response-error.ts';
import { type ApiSchemas, schemaSource } from './schema-source.ts';

export interface CallInput<Name extends OperationName> {
  params?: ParamsOf<Name>;
  query?: QueryInputOf<Name>;
  body?: BodyInputOf<Name>;
  /** Sent instead of a JSON body. */
  bytes?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
  /** Makes the request safe to repeat: the server returns the first response for a repeated key. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Sends the requests of the API, and retries those that are safe to repeat. */
export class Caller {
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #schemas: () => Promise<ApiSchemas | undefined>;

  /** @throws {LonghaulError} `usage` if `baseUrl` or `token` is invalid. */
  constructor(options: ClientOptions) {
    const token = options.token?.trim();
    if (!URL.canParse(options.baseUrl) || !/^https?:/i.test(options.baseUrl)) {
      throw new LonghaulError(
        'usage',
        `baseUrl is "${options.baseUrl}", which is not an HTTP URL. Use the server's address, such as http://127.0.0.1:4140.`,
      );
    }
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new LonghaulError(
        'usage',
        'token must be one word of visible ASCII characters. Use the token from the token file of `longhaul serve`.',
      );
    }
    this.#options = { ...options, ...(token === undefined ? {} : { token }) };
    this.#base = options.baseUrl.replace(/\/+$/, '');
    this.#schemas = schemaSource(options.schemas);
  }

  /**
   * Sends a request and returns the response, validated if the client has schemas.
   *
   * @throws {LonghaulError} The server's error code, `server_unreachable`, `server_bad_response` or `cancelled`.
   */
  async call<Name extends OperationName>(name: Name, input: CallInput<Name> = {}): Promise<ResponseOf<Name>> {
    const response = await this.open(name, input);
    const body = await this.#read(response, input.signal);
    const route: ApiRoute | undefined = (await this.#schemas())?.API_ROUTES[name];
    // Without schemas, the server is trusted to have the version that the types describe.
    if (route === undefined) return body as ResponseOf<Name>;
    const parsed = route.response?.safeParse(body);
    if (parsed?.success === false)
      throw unreadable(`The response to ${route.method} ${route.path}`, parsed.error);
    // The type is derived from the schema that validated the value.
    return parsed?.data as ResponseOf<Name>;
  }

  /** Sends a request, with retries, and returns the response if its status is 2xx. */
  async open<Name extends OperationName>(name: Name, input: CallInput<Name> = {}): Promise<Response> {
    const { retries = 3, retryDelayMs = 500 } = this.#options;
    const { method }: Address = ADDRESSES[name];
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
    const address: Address = ADDRESSES[name];
    const url = this.#url(address, input);
    const send = this.#options.fetch ?? globalThis.fetch;
    const response = await send(url, this.#init(address, input)).catch((thrown: unknown) => {
      throw networkError(thrown, url.href, input.signal);
    });
    if (response.ok) return response;
    if (isRedirect(response)) throw redirectError(response, url);
    throw await responseError(response);
  }

  async #read(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
    if (response.status === 204) return undefined;
    const text = await response.text().catch((thrown: unknown) => {
      throw networkError(thrown, response.url, signal);
    });
    try {
      return JSON.parse(text);
    } catch (error) {
      throw unreadable(`The response of ${response.url}`, error);
    }
  }

  #url(address: Address, { params, query }: { params?: unknown; query?: unknown }): URL {
    const values = new Map(Object.entries(params ?? {}));
    const path = address.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values.get(name))),
    );
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  #init(
    { method }: Address,
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
      // A followed redirect would send the request to another address, and a POST as a GET.
      redirect: 'manual',
    };
  }
}

export function delayFor(error: LonghaulError, attempt: number, firstMs: number): number {
  const asked = error.data['retryAfterMs'];
  return Math.max(typeof asked === 'number' ? asked : 0, backoffMs(attempt, firstMs));
}
