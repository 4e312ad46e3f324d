import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentReport, type AgentSettings, FAULT_VARIABLE } from '../agent/settings.ts';
import { type LifeLine, type ReceivedLine, readLines } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { startChild } from './child.ts';
import { describePlan, type LifePlan } from './life-plan.ts';

export interface LifeOutcome extends LifeLine {
  /** The fault point it ended itself at. */
  diedAt?: string;
  report?: AgentReport;
}

/** No run takes that long unless it hangs. */
const HANGS_AFTER_MS = 120_000;

/** Starts a process that drives the session, does to it what is planned, and waits for its end. */
export async function runLife(
  settings: AgentSettings,
  plan: LifePlan,
  cancelFromOutside: () => Promise<boolean>,
): Promise<LifeOutcome> {
  const { fault, killAfterMs = HANGS_AFTER_MS, cancelAfterMs, isCancelledFromOutside = false, isSoon } = plan;
  const env = fault === undefined ? undefined : { [FAULT_VARIABLE]: `${fault.point}:${fault.count}` };
  const startedAt = Date.now();
  const child = await startChild('agent-process.ts', settings, env);
  const over = new AbortController();
  let killedAt: number | undefined;
  let wasCancelled = false;
  let cancelled: Promise<boolean> | undefined;
  // How long a process takes to load its code says nothing of the moments after that.
  if (isSoon !== true) await Promise.race([child.ended, once(child.process.stdout ?? child.process, 'data')]);
  void at(cancelAfterMs, over.signal, () => {
    wasCancelled = true;
    if (isCancelledFromOutside) cancelled = cancelFromOutside();
    else child.process.kill('SIGTERM');
  });
  void at(killAfterMs, over.signal, () => {
    killedAt = Date.now();
    child.process.kill('SIGKILL');
  });
  const { signal, output, errors } = await child.ended;
  const endedAt = Date.now();
  over.abort();
  // A cancel that came beside the kill is answered too, and must not meet the next process.
  await cancelled;
  const died = readLines<ReceivedLine>(sessionPaths(settings.folder).received(settings.life)).findLast(
    (line) => line.type === 'died',
  );
  const report = reportIn(output);
  return {
    life: settings.life,
    pid: child.pid,
    startedAt,
    endedAt: killedAt ?? endedAt,
    plan: describePlan(plan),
    end: signal === 'SIGKILL' ? 'killed' : 'ended',
    wasCancelled,
    ...(report === undefined ? {} : { report, status: report.status }),
    ...(died === undefined ? {} : { diedAt: died.point }),
    ...(signal === null && report === undefined ? { complaint: errors } : {}),
  };
}

async function at(ms: number | undefined, signal: AbortSignal, act: () => void): Promise<void> {
  if (ms === undefined) return;
  try {
    await sleep(ms, undefined, { signal });
    act();
  } catch {
    // The process ended before.
  }
}

function reportIn(output: string): AgentReport | undefined {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : undefined;
}
