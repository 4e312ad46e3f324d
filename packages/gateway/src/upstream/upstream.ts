import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isRedirect, mapProviderError, maskSecrets, redirected } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { CompactionManner, CompactionSetting } from '../compaction/types.ts';
import { headerOf, passedOn, type RawHeaders, withoutCredentials } from '../http/headers.ts';
import type { ModelSettings, UpstreamOptions, UpstreamProcess } from '../options.ts';

export interface UpstreamRequest {
  method: string;
  /** The part after the base URL: `/chat/completions?x=1`. */
  path: string;
  /** The path is not under `/v1`, as in Ollama's own API. */
  isRoot?: boolean | undefined;
  /** Headers as the client sent them, without those of its own connection. */
  headers: RawHeaders;
  /** A stream is passed on as it arrives. */
  body: Buffer | IncomingMessage | undefined;
  /** Headers (lower case) that no longer apply to the body. */
  without?: readonly string[];
  signal: AbortSignal;
}

/** Connections are reused: a new one for each request would cost more than all other work of the gateway. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256 };

/** One upstream server: its settings and its connections. */
export class Upstream {
  readonly name: string;
  readonly baseUrl: string;
  /** Whether requests are compacted. Can change while the gateway runs. */
  compacts: boolean;
  readonly #requiresWhenOn: boolean;
  readonly apiKey: string | undefined;
  /** Whether the client's key is passed on: it is meant for this upstream, which has no key of its own. */
  readonly takesClientKey: boolean;
  /** Timeout of the gateway's own queries. Undefined: each query has its own default. */
  readonly askTimeoutMs: number | undefined;
  /** Set when the upstream has refused a request for usage. */
  refusesUsage = false;
  /** Set when the upstream has refused a JSON schema for its answer. */
  refusesSchema = false;
  /** Set when a request was refused because the slots of the server share one window. */
  sharesWindow = false;
  /** Set when a request was refused because the longest answer does not fit beside the prompt. */
  countsAnswer = false;
  readonly process: UpstreamProcess | undefined;
  readonly #models: Readonly<Record<string, ModelSettings>>;
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.baseUrl = apiAddress(options.baseUrl);
    const { compaction = true } = options;
    this.compacts = compaction === true || compaction === 'required';
    this.#requiresWhenOn = typeof compaction === 'string';
    this.apiKey = options.apiKey;
    this.askTimeoutMs = options.askTimeoutMs;
    this.#models = options.models ?? {};
    this.process = options.process;
    this.#base = new URL(this.baseUrl);
    this.takesClientKey = options.clientKey === true && this.#authorization() === undefined;
    const isSecure = this.#base.protocol === 'https:';
    this.#agent = isSecure ? new https.Agent(AGENT_OPTIONS) : new http.Agent(AGENT_OPTIONS);
    this.#request = isSecure ? https.request : http.request;
  }

  /** Requests to a model whose window is unknown are refused. */
  get requiresWindow(): boolean {
    return this.compacts && this.#requiresWhenOn;
  }

  get compaction(): CompactionManner {
    return this.requiresWindow ? 'required' : this.compacts;
  }

  /** Returns what to store when compaction is switched on or off. */
  settingWhen(isOn: boolean): CompactionSetting {
    if (!this.#requiresWhenOn) return isOn;
    return isOn ? 'required' : 'required-off';
  }

  settingsOf(model: string): ModelSettings {
    return Object.hasOwn(this.#models, model) ? (this.#models[model] ?? {}) : {};
  }

  /**
   * Sends a request and resolves with the head of the answer, whatever its status. Retries once if a reused connection
   * fails and the body is not a stream.
   *
   * @throws {LonghaulError} The signal's reason if it is one; else `cancelled` by the signal; `provider_unreachable` or another code of
   * `mapProviderError`.
   */
  async send(request: UpstreamRequest): Promise<IncomingMessage> {
    try {
      return this.#withoutRedirect(await this.#attempt(request));
    } catch (thrown) {
      // The server may close a kept connection at the moment of its next use.
      const mayRepeat = thrown instanceof SendFailure && thrown.wasReused && !isStream(request.body);
      const mayStart = thrown instanceof SendFailure && this.process !== undefined && !isStream(request.body);
      if (!(mayRepeat || mayStart) || request.signal.aborted) throw this.#failed(thrown, request);
      if (mayStart) await this.process?.start();
    }
    try {
      return this.#withoutRedirect(await this.#attempt(request));
    } catch (thrown) {
      throw this.#failed(thrown, request);
    }
  }

  /** A redirect is not passed on: the client would send the conversation to its address. */
  #withoutRedirect(answer: IncomingMessage): IncomingMessage {
    const { location } = answer.headers;
    if (!isRedirect(answer.statusCode) || location === undefined) return answer;
    answer.destroy();
    throw redirected(`The upstream ${this.name} (${this.#base.origin})`, {
      from: this.#base,
      to: URL.canParse(location, this.baseUrl) ? new URL(location, this.baseUrl) : undefined,
      setting: 'its address, --upstream (gateway.upstreams in longhaul.yml)',
      data: { provider: this.name },
    });
  }

  #failed(thrown: unknown, { signal }: UpstreamRequest): LonghaulError {
    if (thrown instanceof LonghaulError) return thrown;
    if (signal.aborted && signal.reason instanceof LonghaulError) return signal.reason;
    if (signal.aborted)
      return new LonghaulError('cancelled', 'The request was stopped before its answer came.');
    return this.explain(thrown, {});
  }

  /** Converts a failed connection, or an error status with its body, to a `LonghaulError`. */
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
      message: cause instanceof Error ? cause.message : undefined,
      secrets: this.apiKey === undefined ? undefined : [this.apiKey],
      ...answer,
    });
    if (error.code !== 'provider_unreachable') return error;
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    return new LonghaulError(
      'provider_unreachable',
      `Cannot reach ${this.#calledInMessages()}${code}. ${adviceFor(code)}`,
      { cause, data: error.data },
    );
  }

  #calledInMessages(): string {
    // Without a name in the configuration, an upstream is called `upstream`.
    return this.name === 'upstream' ? `the upstream at ${this.#base.origin}` : `the upstream ${this.name}`;
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }

  #attempt({
    method,
    path,
    isRoot,
    headers,
    body,
    without = [],
    signal,
  }: UpstreamRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { hostname, port, pathname } = this.#base;
    const request = this.#request({
      socketPath: this.process?.socketPath,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: pathname.replace(isRoot === true ? /\/(?:v1\/?)?$/ : /\/$/, '') + path,
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

  /**
   * Returns the header that replaces the client's: the configured key, else user and password of the address, else
   * undefined.
   */
  #authorization(): string | undefined {
    if (this.apiKey !== undefined) return `Bearer ${this.apiKey}`;
    const { username, password } = this.#base;
    if (username === '') return undefined;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  #headers(raw: RawHeaders, body: UpstreamRequest['body'], without: readonly string[]): string[] {
    const authorization = this.#authorization();
    // The gateway has already answered `expect`. The length of a buffer is set below.
    const length = isStream(body) ? [] : ['content-length'];
    const passed = passedOn(raw, ['host', 'expect', ...length, ...without]);
    const kept = this.takesClientKey ? passed : withoutCredentials(passed);
    if (authorization !== undefined) kept.push('Authorization', authorization);
    // Node sets this header for some methods only. Without it the server would read the body as another request.
    if (isStream(body) && headerOf(kept, 'content-length') === undefined)
      kept.push('Transfer-Encoding', 'chunked');
    if (Buffer.isBuffer(body)) kept.push('Content-Length', String(body.length));
    return ['Host', this.#base.host, ...kept];
  }
}

/**
 * Returns the address of the API. Appends `/v1` to an address without a path, and removes a final `/chat/completions`.
 *
 * @throws {LonghaulError} `config_invalid` for an address with a query or a fragment.
 */
function apiAddress(baseUrl: string): string {
  if (/[?#]/.test(baseUrl)) {
    // Neither the query, which may be a key, nor user and password.
    const shown = maskSecrets(baseUrl.replace(/[?#].*$/s, ''));
    const message = `The address of an upstream must end in its path, such as http://127.0.0.1:1234/v1, not in a query: ${shown}?…`;
    throw new LonghaulError('config_invalid', message);
  }
  const address = baseUrl.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  return new URL(address).pathname === '/' ? `${address}/v1` : address;
}

function adviceFor(code: string): string {
  return /CERT(?!_ALTNAME)|UNABLE_TO_VERIFY/.test(code)
    ? 'Its certificate is not trusted. Start the gateway with NODE_EXTRA_CA_CERTS set to a file with the issuer’s certificate, or with the certificate itself if it is self-signed.'
    : 'Check that the server is running and that --upstream (gateway.upstreams in longhaul.yml) has its address.';
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
