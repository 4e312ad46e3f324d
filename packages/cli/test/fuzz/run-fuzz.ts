import { type FuzzServer, startFuzzServer } from './fuzz-server.ts';
import { inSession, KnownNames } from './known-names.ts';
import { learnNames } from './learn-names.ts';
import { type FuzzRequest, makeRequest, type OpenApi } from './make-request.ts';
import { createRandom, type Random } from './random.ts';

export interface FuzzOptions {
  requests: number;
  seed: number;
  /**
   * Operations that must succeed at least once. Whether they do depends on the order in which the workers get their
   * answers, so further requests are sent until they have, up to ten times as many as `requests`.
   */
  mustSucceed?: readonly string[];
  /** Requests at the same time. Default 8. */
  workers?: number;
  /** Share of the requests with a changed value. Default 0.4. */
  mutations?: number;
  onProgress?: (sent: number) => void;
}

export interface FuzzResult {
  sent: number;
  /** Number of answers by operation and status. */
  statuses: Record<string, Record<number, number>>;
  /** Runs that ended. */
  runs: number;
  /** Requests with a status of 500 or more, without an answer, or with a stack in it. At most 20 are kept. */
  failures: string[];
  /** Unanswered or failed checks of `/healthz`. */
  unhealthy: number;
  longestHealthMs: number;
  /** Runs that are still active after all sessions were cancelled. */
  leftRunning: number;
  /** Errors in the server's log, and everything else on its standard error. At most 20 are kept. */
  logged: string[];
}

/** A request without an answer for this long has hung. */
const HANG_MS = 30_000;
/** How long the events of a stream are read. */
const STREAM_MS = 20;
/** A server whose event loop is blocked does not answer in this time. */
const HEALTH_MS = 10_000;
const MAX_FAILURES = 20;
const MAX_SESSIONS = 40;

/** How often operations are chosen that make, show or use the names of others. Default: 1. */
const WEIGHTS: Readonly<Record<string, number>> = {
  sendMessage: 10,
  listApprovals: 6,
  listSessionQueue: 6,
  answerApproval: 4,
  editQueued: 4,
  removeQueued: 2,
  chat: 4,
};

/** Operations that need a name which only exists for a while. Without a known one, they are mostly left out. */
const NEEDS: Readonly<Record<string, string>> = {
  answerApproval: 'callId',
  editQueued: 'queuedId',
  removeQueued: 'queuedId',
};

/**
 * Sends requests made from the OpenAPI document to a real server, most of them valid and with names that the server has
 * shown, so that they change sessions, queues, approvals and runs at the same time.
 */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  await using server = await startFuzzServer();
  return await new Fuzz(server, options).run();
}

/** Whether a request for the operation was answered with a status of success. */
export function hasSucceeded({ statuses }: FuzzResult, operation: string): boolean {
  return Object.keys(statuses[operation] ?? {}).some((status) => Number(status) < 300);
}

class Fuzz {
  readonly #server: FuzzServer;
  readonly #options: FuzzOptions;
  readonly #random: Random;
  readonly #known = new KnownNames();
  readonly #result: FuzzResult = {
    sent: 0,
    statuses: {},
    runs: 0,
    failures: [],
    unhealthy: 0,
    longestHealthMs: 0,
    leftRunning: 0,
    logged: [],
  };

  constructor(server: FuzzServer, options: FuzzOptions) {
    this.#server = server;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<FuzzResult> {
    const document = await this.#server.call<OpenApi>('GET', '/openapi.json');
    for (let count = 0; count < 5; count += 1) await this.#newSession();
    const over = new AbortController();
    const health = this.#watchHealth(over.signal);
    await Promise.all(Array.from({ length: this.#options.workers ?? 8 }, () => this.#work(document)));
    over.abort();
    await health;
    await this.#cancelAll();
    this.#result.runs = await this.#server.metric('longhaul_runs_total');
    this.#result.logged = this.#server.errors().slice(0, MAX_FAILURES);
    return this.#result;
  }

  async #work(document: OpenApi): Promise<void> {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        Array.from({ length: WEIGHTS[operation.operationId] ?? 1 }, () => ({ path, method, operation })),
      ),
    );
    const { requests, mutations = 0.4, onProgress } = this.#options;
    while (this.#result.sent < requests || (this.#lacksSuccess() && this.#result.sent < 10 * requests)) {
      const target = this.#random.one(operations);
      if (!this.#isWorthwhile(target.operation.operationId)) continue;
      this.#result.sent += 1;
      onProgress?.(this.#result.sent);
      const request = makeRequest(target, {
        document,
        known: this.#known,
        random: this.#random,
        workspace: this.#server.workspace,
        mutations,
      });
      await this.#send(request);
    }
  }

  #lacksSuccess(): boolean {
    const { mustSucceed = [] } = this.#options;
    return mustSucceed.some((operation) => !hasSucceeded(this.#result, operation));
  }

  #isWorthwhile(operationId: string): boolean {
    const sessions = this.#known.all('sessionId');
    // Otherwise no session lives long enough to be used by several requests.
    if (operationId === 'deleteSession') return sessions.length >= 5;
    const kind = NEEDS[operationId];
    if (kind === undefined || this.#random.chance(0.1)) return true;
    return sessions.some((id) => this.#known.all(inSession(kind, id)).length > 0);
  }

  async #send(request: FuzzRequest): Promise<void> {
    const { operationId, method, path, headers, body } = request;
    const describe = (what: string) =>
      `${method} ${path} ${JSON.stringify(headers)} ${body?.toString().slice(0, 500)}: ${what}`;
    const left = new AbortController();
    const timer = setTimeout(() => left.abort(), HANG_MS);
    try {
      const response = await this.#server.fetch(path, { method, headers, body, signal: left.signal });
      const text = await this.#read(response, left);
      const byStatus = this.#result.statuses[operationId] ?? {};
      this.#result.statuses[operationId] = byStatus;
      byStatus[response.status] = (byStatus[response.status] ?? 0) + 1;
      if (response.status >= 500) this.#fail(describe(`${response.status} ${text.slice(0, 300)}`));
      if (/\bat .*\.(?:ts|js):\d+|node_modules\/\S+\.(?:ts|js)/.test(text) && operationId !== 'openapi') {
        this.#fail(describe(`a stack in the answer: ${text.slice(0, 300)}`));
      }
      await this.#learn(request, response, text);
    } catch (error) {
      this.#fail(describe(left.signal.aborted ? `no answer within ${HANG_MS} ms` : String(error)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** A stream of events is left after a moment. */
  async #read(response: Response, left: AbortController): Promise<string> {
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return await response.text();
    setTimeout(() => left.abort(), STREAM_MS);
    await response.text().catch(() => '');
    return '';
  }

  async #learn(request: FuzzRequest, response: Response, text: string): Promise<void> {
    learnNames(this.#known, request, { response, text });
    if (!response.ok) return;
    if (request.operationId !== 'deleteSession') await this.#dropOldest();
    else if (this.#known.all('sessionId').length < 5) await this.#newSession();
  }

  /** Bounds the number of sessions, so that lists stay short. */
  async #dropOldest(): Promise<void> {
    const sessions = this.#known.all('sessionId');
    const [oldest] = sessions;
    if (sessions.length < MAX_SESSIONS || oldest === undefined) return;
    this.#known.forget('sessionId', oldest);
    await this.#server.cancel(oldest, HANG_MS);
    await this.#server.fetch(`/api/sessions/${oldest}`, { method: 'DELETE' });
  }

  async #newSession(): Promise<void> {
    const { id } = await this.#server.call<{ id: string }>('POST', '/api/sessions', {});
    this.#known.add('sessionId', id);
  }

  async #watchHealth(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const begun = performance.now();
      const isWell = await fetch(`${this.#server.url}/healthz`, {
        signal: AbortSignal.timeout(HEALTH_MS),
      }).then(
        (response) => response.ok,
        () => false,
      );
      if (!isWell) this.#result.unhealthy += 1;
      this.#result.longestHealthMs = Math.max(this.#result.longestHealthMs, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Cancels every session. A run that does not end in time is left over. */
  async #cancelAll(): Promise<void> {
    for (const id of await this.#server.sessions()) {
      if (!(await this.#server.cancel(id, HANG_MS))) this.#result.leftRunning += 1;
    }
    this.#result.leftRunning += await this.#server.metric('longhaul_runs_active');
  }

  #fail(text: string): void {
    if (this.#result.failures.length < MAX_FAILURES) this.#result.failures.push(text);
  }
}
