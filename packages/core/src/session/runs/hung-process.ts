import { setTimeout } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import type { LeaseOwner } from '../../ports/index.ts';
import { currentOwner, isOwnerAlive } from '../leases/lease-owner.ts';

/** The kernel may need some time to end a process, for example while it writes to a disk. */
const MAX_CHECKS = 500;
const CHECK_INTERVAL_MS = 10;

/** The error for a process that does not answer a cancel. */
export function processHung(sessionId: string, { pid, host }: LeaseOwner): LonghaulError {
  const isHere = host === currentOwner().host;
  const advice = isHere
    ? `Cancel it with force (\`longhaul cancel ${sessionId} --force\`): everything stored so far is kept.`
    : `It runs on ${host}: end it there.`;
  return new LonghaulError(
    'process_hung',
    `The process ${pid} does not answer the cancel. It is probably hung. ${advice}`,
    { data: { sessionId, pid, host } },
  );
}

/**
 * Ends a process at once, with all sessions that it works on. Resolves when it is dead. Does nothing if another process
 * has its pid by now.
 *
 * @throws {LonghaulError} `process_hung` for a process of another host, for this one, and for one that cannot be ended.
 */
export async function endProcess(sessionId: string, owner: LeaseOwner): Promise<void> {
  const here = currentOwner();
  if (owner.host !== here.host || owner.pid === here.pid) throw processHung(sessionId, owner);
  for (let check = 0; isOwnerAlive(owner); check += 1) {
    if (check === MAX_CHECKS || !kill(owner.pid)) {
      throw new LonghaulError(
        'process_hung',
        `The process ${owner.pid} is hung and cannot be ended. End it as its user.`,
        {
          data: { sessionId, pid: owner.pid, host: owner.host },
        },
      );
    }
    await setTimeout(CHECK_INTERVAL_MS);
  }
}

/** Returns false if this user may not end the process. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
