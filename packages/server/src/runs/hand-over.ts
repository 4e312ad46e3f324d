import type { LonghaulError } from '@longhaul/protocol';
import type { ServingParts } from '../serving.ts';
import type { DispatchedRuns } from './dispatched-runs.ts';

/** Gives the sessions of a server that is too old to others. It still runs, and says what it lacks. */
export async function handOver(
  error: LonghaulError,
  {
    runs,
    dispatched,
    agent,
    limits,
    log,
  }: Pick<ServingParts, 'runs' | 'agent' | 'limits' | 'log'> & { dispatched: DispatchedRuns },
): Promise<void> {
  log.error(
    { err: error },
    'this server is older than the tables of its database: other servers continue its sessions',
  );
  runs.refuseNew('outdated');
  try {
    await dispatched.leave();
    await agent.runtime.stop({ graceMs: limits.stopGraceMs });
  } catch (thrown) {
    log.error({ err: thrown }, 'handing over the sessions failed');
  }
}
