import { LonghaulError } from '@longhaul/protocol';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isUnauthorized } from '../login/is-unauthorized.ts';
import { type Asking, RunningCalls } from '../questions/running-calls.ts';
import { DEFAULT_TIMEOUT_MS, filledIn, type ServerSettings } from '../server-settings.ts';
import { createClient } from './create-client.ts';
import { formProblem, messageOf, plainMessage } from './error-text.ts';
import { hasAuthorization, isOlderServer, transportsFor } from './open-transport.ts';
import type { Restarts } from './restarts.ts';
import type { ServerPlace } from './server-process.ts';
import { Silence } from './silence.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ServerConnectionOptions extends ServerPlace {
  name: string;
  settings: ServerSettings;
  version: string;
  restarts: Restarts;
}

export type ServerState = { status: 'idle' | 'starting' | 'ready' } | { status: 'failed'; error: string };

/** What a server can have besides tools. */
export interface ServerOffers {
  resources: boolean;
  prompts: boolean;
}

/** How a request to a server is made. */
export interface CallOptions extends Pick<RequestOptions, 'signal' | 'onprogress'> {
  /** Answers what the server asks during the call. Default: it is refused. */
  asking?: Asking | undefined;
}

/** How long a server may take to answer for the first time. The run waits for it. */
const START_MS = 30_000;
/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A connection to one server. It is opened by the first request, and again by the next request after it has ended,
 * later each time that it fails.
 */
export class ServerConnection {
  readonly name: string;
  readonly #options: ServerConnectionOptions;
  readonly #closing = new AbortController();
  #opening: Promise<Opened> | undefined;
  readonly #calls = new RunningCalls();
  readonly #silences = new Set<Silence>();
  #state: ServerState = { status: 'idle' };
  #hasOtherTools = false;
  #has: ServerOffers = { resources: false, prompts: false };

  constructor(options: ServerConnectionOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Whether the server runs in a sandbox. */
  get isSandboxed(): boolean {
    return this.#options.settings.sandbox === true;
  }

  /** What the server has besides tools. Nothing until it was reached. */
  get has(): ServerOffers {
    return this.#has;
  }

  /** Whether the server has said that its tools have changed, or has started again, since they were listed. */
  get hasToolChange(): boolean {
    return this.#hasOtherTools;
  }

  /** Called before the tools are listed. */
  forgetToolChange(): void {
    this.#hasOtherTools = false;
  }

  get state(): ServerState {
    return this.#state;
  }

  /**
   * Makes a request. A request of a connection that ends in the meantime is not repeated: it may have had its effect.
   *
   * @throws {LonghaulError} `mcp_unavailable`: the server cannot be reached, has ended, does not answer in time, or
   * answers with an error.
   */
  async request<Result>(
    make: (client: Client, options: RequestOptions) => Promise<Result>,
    options: CallOptions = {},
  ): Promise<Result> {
    const { signal, onprogress, asking } = options;
    const opened = await this.#open(signal);
    const timeout = this.#options.settings.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    using silence = new Silence(timeout);
    using _asking = asking && this.#calls.during(this.#held(asking));
    this.#silences.add(silence);
    try {
      const result = await make(opened.client, {
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
        ...(onprogress && {
          onprogress: (update) => {
            silence.heard();
            onprogress(update);
          },
        }),
        // Only the silence ends the call.
        timeout: LONGEST_MS,
      });
      this.#options.restarts.succeeded();
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      if (silence.signal.aborted)
        throw this.#unavailable(`did not answer within ${timeout} ms. It may still be working.`, error);
      throw await this.#requestFailure(error, opened);
    } finally {
      this.#silences.delete(silence);
    }
  }

  /** While the server waits for an answer, none of its calls is too late: it is unknown which one waits. */
  #held({ ask, askModel }: Asking): Asking {
    const whileHeld = async <Answer>(answer: () => Promise<Answer>): Promise<Answer> => {
      using held = new DisposableStack();
      for (const silence of this.#silences) held.use(silence.hold());
      return await answer();
    };
    return {
      ...(ask && { ask: (question) => whileHeld(() => ask(question)) }),
      ...(askModel && { askModel: (question, signal) => whileHeld(() => askModel(question, signal)) }),
    };
  }

  /** Ends the connection for good, and with it the server, if it was started. */
  async close(): Promise<void> {
    this.#closing.abort(
      new LonghaulError('cancelled', `The session of the MCP server ${this.name} was closed.`),
    );
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.client.close();
    this.#state = { status: 'idle' };
  }

  async #open(signal: AbortSignal | undefined): Promise<Opened> {
    this.#closing.signal.throwIfAborted();
    if (this.#opening === undefined) {
      const opening = this.#start();
      this.#opening = opening;
      opening.catch(() => this.#forget(opening));
    }
    return await raceAbort(this.#opening, signal);
  }

  async #start(): Promise<Opened> {
    const { restarts, host } = this.#options;
    this.#state = { status: 'starting' };
    try {
      await restarts.pause(this.#closing.signal);
      const settings = filledIn(this.#options.settings, host);
      const opened = await this.#openFirst(await transportsFor(settings, this.#options));
      this.#state = { status: 'ready' };
      this.#hasOtherTools = true;
      const { resources, prompts } = opened.client.getServerCapabilities() ?? {};
      this.#has = { resources: resources !== undefined, prompts: prompts !== undefined };
      return opened;
    } catch (error) {
      restarts.failed();
      const failure = this.#failure(error);
      this.#state = { status: 'failed', error: failure.message };
      throw failure;
    }
  }

  async #openFirst([open, other]: (() => Transport)[]): Promise<Opened> {
    if (open === undefined) throw new TypeError('No transport.');
    try {
      return await this.#connect(open());
    } catch (error) {
      if (!isOlderServer(error) || other === undefined) throw error;
      return await this.#connect(other());
    }
  }

  async #connect(transport: Transport): Promise<Opened> {
    const client = this.#createClient(transport);
    const opened = { client, transport };
    client.onclose = () => this.#ended(opened);
    try {
      await client.connect(transport, { timeout: START_MS, signal: this.#closing.signal });
      return opened;
    } catch (error) {
      const ending = transport instanceof StdioTransport ? transport.ending : undefined;
      await client.close().catch(() => undefined);
      throw ending === undefined ? error : new LonghaulError('mcp_unavailable', ending, { cause: error });
    }
  }

  #createClient(transport: Transport): Client {
    const { workspace, version, settings } = this.#options;
    return createClient({
      server: this.name,
      version,
      root: () => (transport instanceof StdioTransport ? transport.workspacePath : undefined) ?? workspace,
      allowsSampling: settings.sampling === true,
      calls: this.#calls,
      onToolChange: () => {
        this.#hasOtherTools = true;
      },
    });
  }

  /** The server has ended, or was closed. The next request opens another connection. */
  #ended({ transport }: Opened): void {
    this.#opening = undefined;
    if (this.#closing.signal.aborted || this.#state.status !== 'ready') return;
    this.#options.restarts.failed();
    const ending = transport instanceof StdioTransport ? transport.ending : undefined;
    this.#state = {
      status: 'failed',
      error: `The MCP server ${this.name} ${ending ?? 'closed the connection'}`,
    };
  }

  #forget(opening: Promise<Opened>): void {
    if (this.#opening === opening) this.#opening = undefined;
  }

  async #requestFailure(error: unknown, opened: Opened): Promise<LonghaulError> {
    if (error instanceof McpError) {
      if (error.code !== ErrorCode.ConnectionClosed)
        return this.#unavailable(`refused: ${plainMessage(error)}`, error);
    }
    const problem = formProblem(error);
    if (problem !== undefined)
      return this.#unavailable(`sent an answer that MCP does not allow: ${problem}.`, error);
    // Over HTTP, each request can fail. The next one begins a new session.
    if (!(opened.transport instanceof StdioTransport)) await opened.client.close().catch(() => undefined);
    if (isUnauthorized(error)) return this.#unavailable(this.#loginText(), error);
    const ending = opened.transport instanceof StdioTransport ? opened.transport.ending : undefined;
    const reason = ending ?? messageOf(error);
    return this.#unavailable(`failed during the call, which may have had its effect: ${reason}`, error);
  }

  #failure(error: unknown): LonghaulError {
    if (this.#closing.signal.aborted && this.#closing.signal.reason instanceof LonghaulError) {
      return this.#closing.signal.reason;
    }
    if (isUnauthorized(error)) return this.#unavailable(this.#loginText(), error);
    const hasNoAnswer = error instanceof McpError && error.code === ErrorCode.RequestTimeout;
    const reason = hasNoAnswer ? `it did not answer within ${START_MS} ms` : messageOf(error);
    return this.#unavailable(`cannot be used: ${reason}`, error);
  }

  #loginText(): string {
    if (hasAuthorization(this.#options.settings)) return 'refuses the header Authorization of its settings.';
    return `needs a login. Run: longhaul mcp login ${this.name}`;
  }

  #unavailable(what: string, cause: unknown): LonghaulError {
    return new LonghaulError('mcp_unavailable', `The MCP server ${this.name} ${what}`, { cause });
  }
}

interface Opened {
  client: Client;
  transport: Transport;
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
