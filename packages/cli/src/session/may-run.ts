import { currentOwner, type ProcessPlace } from '@longhaul/core';
import { processStat } from '@longhaul/core/host-processes';

/** Whether the first process of a recorded command may still run. What cannot be seen from here counts as running. */
export function mayRun({ host, bootId, leader }: ProcessPlace): boolean {
  const here = currentOwner();
  if (host !== here.host) return true;
  if (bootId !== here.bootId) return false;
  if (leader === undefined || processStat(process.pid) === undefined) return true;
  return processStat(leader.pid)?.startedAt === leader.startedAt;
}
