import type { PageSignIn } from '@longhaul/models/http';
import type { SessionFeeds } from '../events/session-feeds.ts';
import type { FailureLog } from '../failure-log.ts';
import type { Readiness } from '../health/readiness.ts';
import type { ServerRole } from '../http/server-role.ts';
import type { ServerMetrics } from '../metrics.ts';
import type { DelayedDeletions } from '../runs/delayed-deletions.ts';
import type { RunKeeper } from '../runs/run-keeper.ts';
import type { SessionGate } from '../safety/session-gate.ts';
import type { Workspaces } from '../safety/workspaces.ts';
import type { OpenAiOptions, ReplayService, ServedAgent, ServerLimits } from '../server-options.ts';

/** The dependencies of the handlers. */
export interface HandlerContext extends ServedAgent {
  runs: RunKeeper;
  deletions: DelayedDeletions;
  feeds: SessionFeeds;
  workspaces: Workspaces;
  gate: SessionGate;
  pageSignIn: PageSignIn;
  replay: ReplayService | undefined;
  metrics: ServerMetrics;
  readiness: () => Promise<Readiness>;
  mask: (text: string) => string;
  failed: FailureLog;
  version: string;
  role: ServerRole;
  limits: Pick<ServerLimits, 'heartbeatMs' | 'readerBufferBytes'>;
  openai: OpenAiOptions;
}
