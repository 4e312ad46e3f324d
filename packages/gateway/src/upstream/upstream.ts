import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { mapProviderError } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { headerOf, passedOn, type RawHeaders } from '../http/headers.ts';
import type { ModelSettings, UpstreamOptions } from '../options.ts';

export interface UpstreamRequest {
  method: string;
  /** Behind the base URL: `/chat/completions?x=1`. */
  path: string;
  /** The client's own. */
  headers: RawHeaders;
  /** A stream of the client's is passed on as it comes. */
  body: Buffer | IncomingMessage | undefined;
  /** Headers (lower case) that do not hold for the body any more. */
  without?: readonly string[];
  signal: AbortSignal;
}

/** Connections are kept: a new one for each request would cost more than everything else the gateway does. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256 };

/** One server behind the gateway, and the way to it. */
export class Upstream {
  readonly name: string;
  readonly baseUrl: string;
  readonly compaction: boolean;
  readonly apiKey: string | undefined;
  /** For what it is asked beside the requests. Undefined: as long as is usual for the question. */
  readonly askTimeoutMs: number | undefined;
  /** Set once the upstream has refused the wish for usage. */
  refusesUsage = false;
  readonly #models: Readonly<Record<string, ModelSettings>>;
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.baseUrl = apiAddress(options.baseUrl);
    this.compaction = options.compaction ?? true;
    this.apiKey = options.apiKey;
    this.askTimeoutMs = options.askTimeoutMs;
    this.#models = options.models ?? {};
    this.#base = new URL(this.baseUrl);
    const isSecure = this.#base.protocol === 'https:';
    this.#agent = isSecure ? new https.Agent(AGENT_OPTIONS) : new http.Agent(AGENT_OPTIONS);
    this.#request = isSecure ? https.request : http.request;
  }

  settingsOf(model: string): ModelSettings {
    return Object.hasOwn(this.#models, model) ? (this.#models[model] ?? {}) : {};
  }

  /**
   * Sends a request and resolves with the head of its answer, whatever its status.
   *
   * @throws {LonghaulError} `provider_unreachable` and the like; `cancelled` by the signal.
   */
  async send(request: UpstreamRequest): Promise<IncomingMessage> {
    try {
      return await this.#attempt(request);
    } catch (thrown) {
      // A kept connection may be closed by the other side in the moment it is used again.
      const mayRepeat = thrown instanceof SendFailure && thrown.wasReused && !isStream(request.body);
      if (!mayRepeat || request.signal.aborted) throw this.#failed(thrown, request);
    }
    try {
      return await this.#attempt(request);
    } catch (thrown) {
      throw this.#failed(thrown, request);
    }
  }

  #failed(thrown: unknown, { signal }: UpstreamRequest): LonghaulError {
    if (signal.aborted)
      return new LonghaulError('cancelled', 'The request was stopped before its answer came.');
    return this.explain(thrown, {});
  }

  /** What a failed connection, or an error status with its body, means. */
  explain(
    thrown: unknown,
    about: { model?: string },
    answer: { status?: number; body?: string } = {},
  ): LonghaulError {
    const cause = thrown instanceof SendFailure ? thrown.cause : thrown;
    const error = mapProviderError({
      provider: this.name,
      model: about.model ?? '',
      url: this.baseUrl,
      cause,
      ...(cause instanceof Error ? { message: cause.message } : {}),
      ...(this.apiKey === undefined ? {} : { secrets: [this.apiKey] }),
      ...answer,
    });
    if (error.code !== 'provider_unreachable') return error;
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    return new LonghaulError(
      'provider_unreachable',
      `Cannot reach the upstream ${this.name}${code}. ${adviceFor(code)}`,
      { cause, data: error.data },
    );
  }

  /** Lets go of its connections. */
  close(): void {
    this.#agent.destroy();
  }

  #attempt({ method, path, headers, body, without = [], signal }: UpstreamRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { hostname, port, pathname } = this.#base;
    const request = this.#request({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: pathname.replace(/\/$/, '') + path,
      method,
      agent: this.#agent,
      headers: this.#headers(headers, body, without),
      signal,
    });
    request.once('response', resolve);
    request.once('error', (cause) => reject(new SendFailure(cause, request.reusedSocket)));
    if (isStream(body)) body.pipe(request);
    else request.end(body);
    return promise;
  }

  /** In the place of the client's own: the key, else what the address holds. */
  #authorization(): string | undefined {
    if (this.apiKey !== undefined) return `Bearer ${this.apiKey}`;
    const { username, password } = this.#base;
    if (username === '') return undefined;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  #headers(raw: RawHeaders, body: UpstreamRequest['body'], without: readonly string[]): string[] {
    const authorization = this.#authorization();
    const own = authorization === undefined ? [] : ['authorization'];
    // `expect` was answered by the gateway; what the length is, the body says.
    const length = isStream(body) ? [] : ['content-length'];
    const kept = passedOn(raw, ['host', 'expect', ...length, ...own, ...without]);
    if (authorization !== undefined) kept.push('Authorization', authorization);
    // By itself Node says so for some methods only. Without it the body would be read as a request of its own.
    if (isStream(body) && headerOf(kept, 'content-length') === undefined)
      kept.push('Transfer-Encoding', 'chunked');
    if (Buffer.isBuffer(body)) kept.push('Content-Length', String(body.length));
    return ['Host', this.#base.host, ...kept];
  }
}

/**
 * Every server has its API under `/v1`: where only its root is named, that is meant, and where its whole endpoint is, what stands before that.
 *
 * @throws {LonghaulError} `config_invalid` for an address that ends in a query.
 */
function apiAddress(baseUrl: string): string {
  if (/[?#]/.test(baseUrl)) {
    const message = `The address of an upstream ends in its path, such as http://127.0.0.1:1234/v1, and not in a query: ${baseUrl}`;
    throw new LonghaulError('config_invalid', message);
  }
  const address = baseUrl.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  return new URL(address).pathname === '/' ? `${address}/v1` : address;
}

function adviceFor(code: string): string {
  return /CERT(?!_ALTNAME)|UNABLE_TO_VERIFY/.test(code)
    ? 'Its certificate is not trusted here: start the gateway with NODE_EXTRA_CA_CERTS naming a file that holds its issuer’s certificate (or its own, if it signed itself).'
    : 'Check that its server runs, and that --upstream (gateway.upstreams in longhaul.yml) has its address.';
}

class SendFailure extends Error {
  readonly wasReused: boolean;

  constructor(cause: Error, wasReused: boolean) {
    super(cause.message, { cause });
    this.wasReused = wasReused;
  }
}

function isStream(body: UpstreamRequest['body']): body is IncomingMessage {
  return body !== undefined && !Buffer.isBuffer(body);
}
