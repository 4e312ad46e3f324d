import type { SessionFeeds } from '../events/session-feeds.ts';
import type { FailureLog } from '../failure-log.ts';
import type { ServerMetrics } from '../metrics.ts';
import type { PageSignIn } from '../page/page-sign-in.ts';
import type { RunKeeper } from '../runs/run-keeper.ts';
import type { Workspaces } from '../safety/workspaces.ts';
import type { OpenAiOptions, ServedAgent, ServerLimits } from '../server-options.ts';

/** The dependencies of the handlers. */
export interface HandlerContext extends ServedAgent {
  runs: RunKeeper;
  feeds: SessionFeeds;
  workspaces: Workspaces;
  pageSignIn: PageSignIn;
  metrics: ServerMetrics;
  mask: (text: string) => string;
  failed: FailureLog;
  version: string;
  limits: Pick<ServerLimits, 'heartbeatMs' | 'readerBufferBytes'>;
  openai: OpenAiOptions;
}
