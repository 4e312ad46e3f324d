import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { DEFAULT_CONFIG } from '@longhaul/config';
import { isLoopback } from '@longhaul/models';
import { createPageFiles, createPageSignIn, type PageSignIn } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { SessionFeeds } from './events/session-feeds.ts';
import { createFailureLog } from './failure-log.ts';
import { allHandlers } from './handlers/all-handlers.ts';
import { ModelHealth } from './health/model-health.ts';
import { createReadiness, type Readiness } from './health/readiness.ts';
import { createApp } from './http/app.ts';
import { createAudit } from './http/audit.ts';
import { UnusedConnections } from './http/unused-connections.ts';
import { createMetrics } from './metrics.ts';
import { DelayedDeletions } from './runs/delayed-deletions.ts';
import { leftSessions } from './runs/left-sessions.ts';
import { RunKeeper } from './runs/run-keeper.ts';
import { createCallerReader } from './safety/forwarded-caller.ts';
import { createGuard } from './safety/guard.ts';
import { createSecretMask } from './safety/secret-mask.ts';
import { SessionGate } from './safety/session-gate.ts';
import { createTokenBook } from './safety/token-book.ts';
import { maskNamedTokens } from './safety/token-name.ts';
import { createWorkspaces } from './safety/workspaces.ts';
import { DEFAULT_LIMITS, type ServerLimits, type ServerOptions } from './server-options.ts';

export interface LonghaulServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Number of runs that this server drives at the moment. */
  readonly activeRuns: number;
  /** Why runs cannot be expected to work now, for the operator. Empty: nothing is known. */
  problems(): Promise<string[]>;
  /**
   * Returns an address of the page for a browser on this machine, with a one-time code that signs it in within 60
   * seconds. Treat it like the token.
   */
  newPageAddress(): string;
  /**
   * Stops the server gracefully. It refuses new runs and gives running steps the grace time to finish. Then it
   * interrupts unfinished runs, which can be resumed, sends `resync` to the readers of events, and answers open
   * requests. `atOnce` skips the grace time. A second call waits for the first one.
   */
  stop(options?: { atOnce?: boolean }): Promise<void>;
  /**
   * Starts runs for sessions whose last run was interrupted, and for those with messages that no run has taken. Returns
   * the ids of the sessions whose run started. Children are continued by their parents. Sessions that another process
   * works on follow when that process leaves them.
   */
  resumeInterrupted(): Promise<string[]>;
}

/**
 * Serves the agent over HTTP.
 *
 * @throws {LonghaulError} `config_invalid` for an address that is not loopback without a token; `usage` if the address
 * is in use or cannot be bound.
 */
export async function startServer(options: ServerOptions): Promise<LonghaulServer> {
  const { agent, host, token, log, version } = options;
  if (token === undefined && !isLoopback(host)) throw noToken(host);
  const limits: ServerLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const openai = { ...DEFAULT_CONFIG.server.openai, ...options.openai };
  const maskToken = createSecretMask(token === undefined ? [] : [token]);
  const maskSecrets = createSecretMask(options.secrets ?? []);
  const mask = (text: string) => maskNamedTokens(maskToken(maskSecrets(text)));
  const workspaces = await createWorkspaces(options.workspaces);
  const { probes } = options;
  const metrics = createMetrics({
    store: agent.store,
    probes,
    runs: () => runs.activeCount,
    waiting: () => runs.waiting.count,
    readers: () => feeds.readerCount,
  });
  const modelHealth = new ModelHealth({ subscribe: (listener) => agent.runtime.subscribe(listener) });
  const readiness = createReadiness({ ...agent, modelHealth, probes });
  agent.runtime.subscribe(metrics.receive);
  const runs = new RunKeeper({
    ...agent,
    answers: agent.chats,
    maxRuns: options.maxRuns ?? null,
    metrics,
    log,
  });
  const failed = createFailureLog(log);
  const feeds = new SessionFeeds({
    ...agent,
    mask,
    heartbeatMs: limits.heartbeatMs,
    room: { maxBytesEach: limits.readerBufferBytes, maxBytes: limits.readersBufferBytes },
    maxReaders: limits.readers,
    onFailure: (error) => failed('reading events', error),
  });
  const tokens = createTokenBook({ token, named: options.namedTokens });
  const pageSignIn = createPageSignIn(tokens, {
    command: 'longhaul serve',
    wrongToken:
      'The token is missing, wrong, expired or revoked. The first token is in the file that longhaul serve prints when it starts; longhaul token add makes others.',
  });
  const gate = new SessionGate(agent.store);
  const callerOf = createCallerReader(options.trustProxy ?? []);
  const audit = createAudit(log);
  const guard = createGuard({
    tokens,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    rate: limits.rate,
  });
  const deletions = await DelayedDeletions.open({
    ...agent,
    onDeleted: (sessionId) => feeds.drop(sessionId),
    failed,
  });
  const handlers = allHandlers({
    ...agent,
    runs,
    deletions,
    feeds,
    workspaces,
    gate,
    pageSignIn,
    replay: options.replay,
    metrics,
    readiness,
    mask,
    failed,
    version,
    limits,
    openai,
  });
  const page = options.webFolder === undefined ? undefined : createPageFiles(options.webFolder);
  const app = createApp({ handlers, guard, gate, callerOf, audit, limits, page, mask, metrics, log });
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16_384,
    },
    getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: () => malformedRequest() }),
  );
  const unused = new UnusedConnections(server);
  const parts = { server, unused, runs, deletions, feeds, agent, pageSignIn, limits, readiness, log };
  const { socketPath } = options;
  if (socketPath !== undefined) {
    await listenOnSocket(server, socketPath);
    return serving({ ...parts, port: 0, host: 'localhost' });
  }
  const port = await listen(server, { host, port: options.port });
  return serving({ ...parts, port, host });
}

interface Parts {
  server: Server;
  unused: UnusedConnections;
  port: number;
  host: string;
  runs: RunKeeper;
  deletions: DelayedDeletions;
  feeds: SessionFeeds;
  agent: ServerOptions['agent'];
  pageSignIn: PageSignIn;
  limits: ServerLimits;
  readiness: () => Promise<Readiness>;
  log: ServerOptions['log'];
}

function serving(parts: Parts): LonghaulServer {
  const { server, unused, port, host, runs, deletions, feeds, agent, pageSignIn, limits, readiness, log } =
    parts;
  let stopping: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    runs.refuseNew();
    deletions[Symbol.dispose]();
    if (!(await isDoneWithin(graceMs + ENDING_MS, agent.runtime.stop({ graceMs })))) {
      log.warn('some work did not end in time: the next start of the server closes what it left open');
    }
    feeds[Symbol.dispose]();
    runs[Symbol.dispose]();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    unused.close();
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    await closed;
    clearTimeout(timer);
  }

  const handle: LonghaulServer = {
    async problems() {
      return (await readiness()).problems.map(({ check, reason }) => `${String(check)}: ${reason}`);
    },
    url: urlOf(host, port),
    port,
    get activeRuns() {
      return runs.activeCount;
    },
    newPageAddress() {
      const code = pageSignIn.newCode();
      return `${urlOf(isAnyAddress(host) ? '127.0.0.1' : host, port)}/${code === undefined ? '' : `#code=${code}`}`;
    },
    async stop({ atOnce = false } = {}) {
      if (atOnce && stopping !== undefined) await agent.runtime.stop({ graceMs: 0 });
      stopping ??= stop(atOnce ? 0 : limits.stopGraceMs);
      await stopping;
    },
    async resumeInterrupted() {
      const started: string[] = [];
      const { interrupted, waiting, elsewhere } = await leftSessions(agent.store);
      for (const sessionId of elsewhere) runs.adopt(sessionId);
      for (const sessionId of [...interrupted, ...waiting]) {
        try {
          if ((await runs.start(sessionId)) !== undefined) started.push(sessionId);
        } catch (error) {
          log.warn({ sessionId, err: error }, 'resuming the session failed');
        }
      }
      return started;
    },
    [Symbol.asyncDispose]: () => handle.stop({ atOnce: true }),
  };
  return handle;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether it stands for all addresses of this machine. */
function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The response to a request whose URL or Host header is malformed. */
function malformedRequest(): Response {
  const error = new LonghaulError(
    'invalid_request',
    'The request is malformed: its URL or its Host header is invalid.',
  );
  return Response.json({ error: error.toShape() }, { status: error.status });
}

/** Time that interrupted runs have to end after the grace time. */
const ENDING_MS = 1_000;
/** Time that open requests have to finish after all runs have ended. */
const CLOSE_MS = 500;

async function isDoneWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });
}

async function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, address)));
    server.listen(address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no TCP address.');
  return bound.port;
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }) {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program listens there. Stop that program, or choose another port with --port'
      : `the system refuses it (${error.code}). Set --host to an address of this machine`;
  return new LonghaulError('usage', `The server cannot listen on ${host}:${port}: ${why}.`, { cause: error });
}

function noToken(host: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The server cannot listen on ${host} without a token, because other machines can reach that address. Remove --no-token, or listen on 127.0.0.1.`,
  );
}
