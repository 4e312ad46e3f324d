import { once } from 'node:events';
import { describeClient } from '../agent/model-client.ts';
import { type AgentReport, type AgentSettings, FAULT_VARIABLE } from '../agent/settings.ts';
import { type LifeLine, type ReceivedLine, readLines } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';
import { type Child, type Ending, startChild } from './child.ts';
import type { LeaseClock } from './lease-clock.ts';
import { describePlan, type LifePlan } from './life-plan.ts';
import type { SessionClock } from './session-clock.ts';

export interface LifeOutcome extends LifeLine {
  /** The fault point at which the process killed itself. */
  diedAt?: string;
  report?: AgentReport;
}

/** A run that takes longer is considered hung. */
const HANGS_AFTER_MS = 120_000;

/** What the lives of a session share. */
export interface LifeSurroundings {
  clock: SessionClock;
  leases: LeaseClock;
  /**
   * Cancels from another process. Resolves to whether the cancel was answered; false if no such process is running.
   */
  cancelFromOutside: () => Promise<boolean>;
}

/** Starts a process that drives the session, applies the plan to it, and waits until it ends. */
export async function runLife(
  settings: AgentSettings,
  plan: LifePlan,
  { clock, leases, cancelFromOutside }: LifeSurroundings,
): Promise<LifeOutcome> {
  const { fault } = plan;
  const startedAt = trueTime();
  const child = await startChild(`${settings.program ?? 'agent'}-process.ts`, settings, {
    ...clock.environment,
    ...leases.environment,
    ...(fault === undefined ? {} : { [FAULT_VARIABLE]: `${fault.point}:${fault.count}` }),
  });
  // Waits for the first output, so that the time to load the code does not count.
  if (plan.isSoon !== true)
    await Promise.race([child.ended, once(child.process.stdout ?? child.process, 'data')]);
  const fate = applyPlan(child, plan, { clock, cancelFromOutside, hasTool: () => hasTool(settings) });
  const ending = await child.ended;
  const endedAt = fate.killedAt() ?? trueTime();
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
    client: describeClient(settings.client),
    end: ending.signal === 'SIGKILL' ? 'killed' : 'ended',
    wasCancelled: fate.wasCancelled(),
    report,
    status: report?.status,
    error: report?.error,
    diedAt,
    complaint,
  };
}

interface Fate {
  killedAt(): number | undefined;
  wasCancelled(): boolean;
  /**
   * Clears the timers and waits until a pending cancel is answered, so that the cancel does not affect the next
   * process.
   */
  over(): Promise<void>;
}

function applyPlan(
  child: Child,
  plan: LifePlan,
  { clock, cancelFromOutside, hasTool }: Omit<LifeSurroundings, 'leases'> & { hasTool: () => boolean },
): Fate {
  const { killAfterMs = HANGS_AFTER_MS, cancelAfterMs, cancelsFirstTool, cancelBy } = plan;
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
    killedAt = trueTime();
    child.process.kill('SIGKILL');
  };
  const timers = [
    setTimeout(kill, killAfterMs),
    ...(cancelAfterMs === undefined ? [] : [setTimeout(cancel, cancelAfterMs)]),
    ...clock.plan(plan.clock),
  ];
  if (cancelsFirstTool === true)
    timers.push(setInterval(() => cancelled === undefined && hasTool() && cancel(), 10));
  return {
    killedAt: () => killedAt,
    wasCancelled: () => cancelled !== undefined,
    async over() {
      for (const timer of timers) clearTimeout(timer);
      await cancelled;
    },
  };
}

/** Returns a failure of the process that no plan allows. */
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
  // A cancel from outside holds the session's lease briefly, and the process may start at that moment.
  const mayBeBusy = plan.cancelBy === 'outside' && plan.cancelAfterMs !== undefined;
  return report?.status === 'busy' && !mayBeBusy ? 'the session was busy' : undefined;
}

function hasTool({ folder, life }: AgentSettings): boolean {
  return readLines<ReceivedLine>(sessionPaths(folder).received(life)).some(({ type }) => type === 'tool');
}

function pointIn({ folder, life }: AgentSettings): string | undefined {
  const lines = readLines<ReceivedLine>(sessionPaths(folder).received(life));
  return lines.flatMap((line) => (line.type === 'died' ? [line.point] : [])).at(-1);
}

export function reportIn(output: string): AgentReport | undefined {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : undefined;
}
