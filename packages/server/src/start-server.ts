import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { DEFAULT_CONFIG } from '@longhaul/config';
import { drivingRun } from '@longhaul/core';
import { isLoopback } from '@longhaul/models';
import { createPageFiles, createPageSignIn } from '@longhaul/models/http';
import { ERROR_TRAITS, LonghaulError } from '@longhaul/protocol';
import { createStreamEndpoint, type StreamEndpoint } from './cluster/stream-endpoint.ts';
import { SessionFeeds } from './events/session-feeds.ts';
import { createFailureLog } from './failure-log.ts';
import { allHandlers } from './handlers/all-handlers.ts';
import { ModelHealth } from './health/model-health.ts';
import { createReadiness } from './health/readiness.ts';
import { createApp } from './http/app.ts';
import { createAudit } from './http/audit.ts';
import { listen, listenOnSocket } from './http/listen.ts';
import { UnusedConnections } from './http/unused-connections.ts';
import { createMetrics } from './metrics.ts';
import { DelayedDeletions } from './runs/delayed-deletions.ts';
import { DispatchedRuns } from './runs/dispatched-runs.ts';
import { handOver } from './runs/hand-over.ts';
import { OutdatedWatch } from './runs/outdated-watch.ts';
import { RunKeeper } from './runs/run-keeper.ts';
import { WaitingWatch } from './runs/waiting-watch.ts';
import { createCallerReader } from './safety/forwarded-caller.ts';
import { createGuard } from './safety/guard.ts';
import { createSecretMask } from './safety/secret-mask.ts';
import { SessionGate } from './safety/session-gate.ts';
import { createTokenBook } from './safety/token-book.ts';
import { maskNamedTokens } from './safety/token-name.ts';
import { createWorkspaces } from './safety/workspaces.ts';
import { DEFAULT_LIMITS, type ServerLimits, type ServerOptions } from './server-options.ts';
import { type LonghaulServer, serving } from './serving.ts';

/**
 * Serves the agent over HTTP.
 *
 * @throws {LonghaulError} `config_invalid` for an address that is not loopback without a token; `usage` if the address
 * is in use or cannot be bound.
 */
export async function startServer(options: ServerOptions): Promise<LonghaulServer> {
  const { agent, host, token, log, version, role = 'all' } = options;
  if (token === undefined && !isLoopback(host)) throw noToken(host);
  const limits: ServerLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const openai = { ...DEFAULT_CONFIG.server.openai, ...options.openai };
  const maskToken = createSecretMask(token === undefined ? [] : [token]);
  const maskSecrets = createSecretMask(options.secrets ?? []);
  const mask = (text: string) => maskNamedTokens(maskToken(maskSecrets(text)));
  const workspaces = await createWorkspaces(options.workspaces);
  const { probes } = options;
  const { dispatcher } = agent;
  const metrics = createMetrics({
    store: agent.store,
    spending: agent.runtime.spending,
    probes,
    runs: () => runs.activeCount,
    waiting: () => runs.waiting.count,
    places: () => runs.maxRuns,
    readers: () => feeds.readerCount,
    streams: options.cluster && (() => feeds.streamCount),
    node: dispatcher && { machine: dispatcher.machine, role, counts: () => dispatcher.counts() },
  });
  const modelHealth = new ModelHealth({ subscribe: (listener) => agent.runtime.subscribe(listener) });
  const readiness = createReadiness({ ...agent, modelHealth, probes });
  agent.runtime.subscribe(metrics.receive);
  const dispatched = dispatcher && new DispatchedRuns({ ...agent, dispatcher, log });
  const runs = new RunKeeper({
    ...agent,
    dispatched,
    answers: agent.chats,
    maxRuns: options.maxRuns ?? null,
    metrics,
    log,
  });
  const outdated =
    dispatched &&
    new OutdatedWatch({
      store: agent.store,
      onOutdated: (error) => void handOver(error, { runs, dispatched, agent, limits, log }),
    });
  const failed = createFailureLog(log);
  const feeds = new SessionFeeds({
    ...agent,
    mask,
    heartbeatMs: limits.heartbeatMs,
    goodbyeMs: limits.goodbyeMs,
    room: { maxBytesEach: limits.readerBufferBytes, maxBytes: limits.readersBufferBytes },
    maxReaders: limits.readers,
    cluster: options.cluster,
    onFailure: (error) => failed('reading events', error),
  });
  const waitingWatch =
    dispatcher &&
    new WaitingWatch({
      dispatcher,
      read: () => feeds.readSessions,
      isDriven: async (id) => (await drivingRun(agent.store, id)) !== undefined,
      report: (id, position) => agent.runtime.reportWaiting(id, position),
      onFailure: (error) => failed('reading the positions of sessions', error),
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
    role,
    limits,
    openai,
  });
  const { webFolder } = options;
  const page = webFolder === undefined || role === 'worker' ? undefined : createPageFiles(webFolder);
  const app = createApp({ handlers, guard, gate, callerOf, audit, limits, role, page, mask, metrics, log });
  const endpoint =
    options.cluster &&
    createStreamEndpoint({
      secret: options.cluster.secret,
      maxBytes: limits.readerBufferBytes,
      listen: (sessionId, listener) => feeds.listen(sessionId, listener),
    });
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16_384,
    },
    withOtherServers(
      getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: () => malformedRequest() }),
      endpoint,
    ),
  );
  const unused = new UnusedConnections(server);
  const parts = {
    server,
    unused,
    runs,
    dispatched,
    outdated,
    waitingWatch,
    deletions,
    feeds,
    agent,
    pageSignIn,
    limits,
    readiness,
    log,
  };
  const { socketPath } = options;
  if (socketPath !== undefined) {
    await listenOnSocket(server, socketPath);
    return serving({ ...parts, port: 0, host: 'localhost' });
  }
  const port = await listen(server, { host, port: options.port });
  options.cluster?.listens(host, port);
  if (role !== 'api') await dispatched?.take();
  return serving({ ...parts, port, host });
}

/** Lets an endpoint of the cluster answer first. */
function withOtherServers(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
  endpoint: StreamEndpoint | undefined,
): RequestListener {
  if (endpoint === undefined) return (incoming, outgoing) => void listener(incoming, outgoing);
  return (incoming, outgoing) => void (endpoint(incoming, outgoing) || listener(incoming, outgoing));
}

/** The response to a request whose URL or Host header is malformed. */
function malformedRequest(): Response {
  const error = new LonghaulError(
    'invalid_request',
    'The request is malformed: its URL or its Host header is invalid.',
  );
  return Response.json({ error: error.toShape() }, { status: ERROR_TRAITS[error.code].status });
}

function noToken(host: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The server cannot listen on ${host} without a token, because other machines can reach that address. Remove --no-token, or listen on 127.0.0.1.`,
  );
}
