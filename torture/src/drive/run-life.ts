import { once } from 'node:events';
import { type AgentReport, type AgentSettings, FAULT_VARIABLE } from '../agent/settings.ts';
import { type LifeLine, type ReceivedLine, readLines } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { type Child, type Ending, startChild } from './child.ts';
import { describePlan, type LifePlan } from './life-plan.ts';

export interface LifeOutcome extends LifeLine {
  /** The fault point it ended itself at. */
  diedAt?: string;
  report?: AgentReport;
}

/** No run takes that long unless it hangs. */
const HANGS_AFTER_MS = 120_000;

/**
 * Starts a process that drives the session, does to it what is planned, and waits for its end.
 *
 * @param cancelFromOutside Whether someone was there to do so, once it is answered.
 */
export async function runLife(
  settings: AgentSettings,
  plan: LifePlan,
  cancelFromOutside: () => Promise<boolean>,
): Promise<LifeOutcome> {
  const { fault } = plan;
  const env = fault === undefined ? undefined : { [FAULT_VARIABLE]: `${fault.point}:${fault.count}` };
  const startedAt = Date.now();
  const child = await startChild('agent-process.ts', settings, env);
  // How long a process takes to load its code says nothing of the moments after that.
  if (plan.isSoon !== true)
    await Promise.race([child.ended, once(child.process.stdout ?? child.process, 'data')]);
  const fate = meetFate(child, plan, cancelFromOutside);
  const ending = await child.ended;
  const endedAt = fate.killedAt() ?? Date.now();
  await fate.over();
  const report = reportIn(ending.output);
  const complaint = complaintOf({ plan, ending, report, wasKilled: fate.killedAt() !== undefined });
  const diedAt = pointIn(settings);
  return {
    life: settings.life,
    pid: child.pid,
    startedAt,
    endedAt,
    plan: describePlan(plan),
    end: ending.signal === 'SIGKILL' ? 'killed' : 'ended',
    wasCancelled: fate.wasCancelled(),
    ...(report === undefined ? {} : { report, status: report.status }),
    diedAt,
    complaint,
  };
}

interface Fate {
  killedAt(): number | undefined;
  wasCancelled(): boolean;
  /** Nothing more happens to it. A cancel that came beside the kill is answered too, and does not meet the next process. */
  over(): Promise<void>;
}

function meetFate(child: Child, plan: LifePlan, cancelFromOutside: () => Promise<boolean>): Fate {
  const { killAfterMs = HANGS_AFTER_MS, cancelAfterMs, cancelBy } = plan;
  let killedAt: number | undefined;
  let cancelled: Promise<unknown> | undefined;
  const cancelHere = () => child.process.kill(cancelBy === 'stop' ? 'SIGHUP' : 'SIGTERM');
  const cancel = () => {
    cancelled =
      cancelBy === 'outside'
        ? cancelFromOutside().then((isAnswered) => isAnswered || cancelHere())
        : Promise.resolve(cancelHere());
  };
  const kill = () => {
    killedAt = Date.now();
    child.process.kill('SIGKILL');
  };
  const timers = [
    setTimeout(kill, killAfterMs),
    ...(cancelAfterMs === undefined ? [] : [setTimeout(cancel, cancelAfterMs)]),
  ];
  return {
    killedAt: () => killedAt,
    wasCancelled: () => cancelled !== undefined,
    async over() {
      for (const timer of timers) clearTimeout(timer);
      await cancelled;
    },
  };
}

/** What a process must not do, whatever was planned for it. */
function complaintOf({
  plan,
  ending,
  report,
  wasKilled,
}: {
  plan: LifePlan;
  ending: Ending;
  report: AgentReport | undefined;
  wasKilled: boolean;
}): string | undefined {
  if (wasKilled && plan.killAfterMs === undefined) return `it did not end within ${HANGS_AFTER_MS} ms`;
  if (ending.signal === null && report === undefined) return ending.errors;
  // Whoever cancels from outside holds the session for a moment, and the process may come just then.
  const mayBeBusy = plan.cancelBy === 'outside' && plan.cancelAfterMs !== undefined;
  return report?.status === 'busy' && !mayBeBusy ? 'the session was busy' : undefined;
}

function pointIn({ folder, life }: AgentSettings): string | undefined {
  const lines = readLines<ReceivedLine>(sessionPaths(folder).received(life));
  return lines.findLast((line) => line.type === 'died')?.point;
}

function reportIn(output: string): AgentReport | undefined {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : undefined;
}
