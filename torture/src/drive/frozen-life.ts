import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeClient } from '../agent/model-client.ts';
import { type AgentSettings, FAULT_VARIABLE, FREEZE_VARIABLE } from '../agent/settings.ts';
import { type ReceivedLine, readLines, type TickLine } from '../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';
import { type Child, type Ending, startChild } from './child.ts';
import { isStopped } from './is-stopped.ts';
import { describePlan, type FreezePlan, type LifePlan } from './life-plan.ts';
import { type LifeOutcome, type LifeSurroundings, reportIn } from './run-life.ts';

/** A process that was stopped with SIGSTOP, or that ended before that. */
export interface FrozenLife {
  /** When its lease expires, as an uptime in milliseconds. Undefined if it holds no session. */
  readonly leaseExpires: number | undefined;
  /** Continues it with SIGCONT or kills it, and waits until it has ended. */
  end(way: FreezePlan['end']): Promise<LifeOutcome>;
}

/** A process that has not come to the planned moment by now is stopped anyway. */
const PATIENCE_MS = 30_000;
/** A process that has lost its session ends sooner than this, even on a busy machine. */
const ENDS_WITHIN_MS = 60_000;

/** Starts a process that drives the session and stops it at the planned moment. */
export async function freezeLife(
  settings: AgentSettings,
  plan: LifePlan & { freeze: FreezePlan },
  { clock, leases }: Pick<LifeSurroundings, 'clock' | 'leases'>,
): Promise<FrozenLife> {
  const { freeze } = plan;
  const paths = sessionPaths(settings.folder);
  const isPoint = freeze.when !== 'command' && freeze.when !== 'moment';
  const startedAt = trueTime();
  const child = await startChild(`${settings.program ?? 'agent'}-process.ts`, settings, {
    ...clock.environment,
    ...leases.environment,
    ...(isPoint ? { [FAULT_VARIABLE]: `${freeze.when}:1`, [FREEZE_VARIABLE]: '1' } : {}),
  });
  const steps = clock.plan(plan.clock);
  await reachMoment(child, freeze, { paths, life: settings.life });
  await stopOutsideTransaction(child, paths);
  const frozenAt = trueTime();
  for (const timer of steps) clearTimeout(timer);
  return {
    leaseExpires: leaseOf(paths, child.pid),
    async end(way) {
      const thawedAt = way === 'thaw' ? trueTime() : undefined;
      child.process.kill(way === 'thaw' ? 'SIGCONT' : 'SIGKILL');
      const hanging = setTimeout(() => child.process.kill('SIGKILL'), ENDS_WITHIN_MS);
      const ending = await child.ended;
      clearTimeout(hanging);
      const outcome = outcomeOf(ending, { frozenAt, thawedAt });
      return {
        life: settings.life,
        pid: child.pid,
        startedAt,
        plan: describePlan(plan),
        client: describeClient(settings.client),
        ...outcome,
      };
    },
  };
}

async function reachMoment(
  { process, pid }: Child,
  { when, afterMs }: FreezePlan,
  { paths, life }: { paths: SessionPaths; life: number },
): Promise<void> {
  const isRunning = () => process.exitCode === null && process.signalCode === null;
  const hasRun = () => readLines<ReceivedLine>(paths.received(life)).some(({ type }) => type === 'run');
  const isReached = () => {
    if (when === 'moment') return hasRun();
    if (when === 'command') return readLines<TickLine>(paths.ticks).some((tick) => tick.life === life);
    return isStopped(pid);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (isRunning() && !isReached() && performance.now() < deadline) await sleep(10);
  if (when === 'moment') await sleep(afterMs);
}

/**
 * Stops the process. Inside a transaction it would lock the database for everybody, so it continues then and is stopped
 * again a little later.
 */
async function stopOutsideTransaction(child: Child, paths: SessionPaths): Promise<void> {
  for (;;) {
    child.process.kill('SIGSTOP');
    while (!isStopped(child.pid)) {
      if (child.process.exitCode !== null || child.process.signalCode !== null) return;
      await sleep(1);
    }
    if (canWrite(paths.database)) return;
    child.process.kill('SIGCONT');
    await sleep(1);
  }
}

function canWrite(path: string): boolean {
  // On a busy machine, the first process may not have created it yet.
  if (!existsSync(path)) return true;
  // Other processes hold the lock for milliseconds.
  const database = new DatabaseSync(path, { timeout: 1_000 });
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

function leaseOf(paths: SessionPaths, pid: number): number | undefined {
  if (!existsSync(paths.database)) return undefined;
  const database = new DatabaseSync(paths.database, { readOnly: true, timeout: 5_000 });
  try {
    const row = database
      .prepare(
        'SELECT expires_uptime AS expires FROM heads JOIN runs ON runs.run_id = heads.run_id WHERE runs.pid = ?',
      )
      .get(pid);
    return row === undefined ? undefined : Number(row['expires']);
  } finally {
    database.close();
  }
}

function outcomeOf(
  { signal, output, errors }: Ending,
  { frozenAt, thawedAt }: { frozenAt: number; thawedAt: number | undefined },
) {
  const report = reportIn(output);
  const hung = thawedAt !== undefined && signal === 'SIGKILL';
  return {
    endedAt: trueTime(),
    end: signal === 'SIGKILL' ? ('killed' as const) : ('ended' as const),
    wasCancelled: false,
    frozenAt,
    thawedAt,
    report,
    status: report?.status,
    error: report?.error,
    complaint: hung
      ? `it did not end within ${ENDS_WITHIN_MS} ms after it was continued`
      : signal === null && report === undefined
        ? errors
        : undefined,
  };
}
