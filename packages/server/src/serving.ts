import type { Server } from 'node:http';
import type { PageSignIn } from '@longhaul/models/http';
import type { SessionFeeds } from './events/session-feeds.ts';
import type { Readiness } from './health/readiness.ts';
import type { UnusedConnections } from './http/unused-connections.ts';
import type { DelayedDeletions } from './runs/delayed-deletions.ts';
import type { DispatchedRuns } from './runs/dispatched-runs.ts';
import { leftSessions } from './runs/left-sessions.ts';
import type { OutdatedWatch } from './runs/outdated-watch.ts';
import type { RunKeeper } from './runs/run-keeper.ts';
import type { WaitingWatch } from './runs/waiting-watch.ts';
import type { ServerLimits, ServerOptions } from './server-options.ts';

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

export interface ServingParts {
  server: Server;
  unused: UnusedConnections;
  port: number;
  host: string;
  runs: RunKeeper;
  dispatched: DispatchedRuns | undefined;
  outdated: OutdatedWatch | undefined;
  waitingWatch: WaitingWatch | undefined;
  deletions: DelayedDeletions;
  feeds: SessionFeeds;
  agent: ServerOptions['agent'];
  pageSignIn: PageSignIn;
  limits: ServerLimits;
  readiness: () => Promise<Readiness>;
  log: ServerOptions['log'];
}

/** Returns the handle of a server that listens. */
export function serving(parts: ServingParts): LonghaulServer {
  const { server, unused, port, host, runs, dispatched, deletions, feeds, agent, pageSignIn, limits } = parts;
  const { outdated, waitingWatch, readiness, log } = parts;
  let stopping: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    outdated?.[Symbol.dispose]();
    waitingWatch?.[Symbol.dispose]();
    runs.refuseNew('stopping');
    await dispatched?.leave();
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
      for (const sessionId of elsewhere) await runs.adopt(sessionId);
      for (const sessionId of [...interrupted, ...waiting]) {
        try {
          if (dispatched !== undefined) await dispatched.request(await runs.existing(sessionId));
          else if ((await runs.start(sessionId)) === undefined) continue;
          started.push(sessionId);
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
