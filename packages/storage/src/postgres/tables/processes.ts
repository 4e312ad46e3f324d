import type { Lease, NewProcess, ProcessOutcome, ProcessRecord } from '@longhaul/core';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { toProcessRecord } from '../../shared/process-rows.ts';
import type { Db } from '../connection.ts';
import { processes } from '../schema.ts';

export async function addProcess(
  db: Db,
  { sessionId, runId }: Lease,
  { started: { id, command, place }, now }: { started: NewProcess; now: number },
): Promise<void> {
  const { leader, cgroups, ...rest } = place;
  await db.insert(processes).values({
    ...rest,
    id,
    sessionId,
    runId,
    command,
    pid: leader?.pid,
    processStartedAt: leader?.startedAt,
    pidNamespace: leader?.namespace,
    cgroups: cgroups?.join('\n'),
    startedAt: now,
  });
}

export async function endProcess(
  db: Db,
  { id, outcome, now }: { id: string; outcome: ProcessOutcome; now: number },
): Promise<void> {
  const isOpen = and(eq(processes.id, id), isNull(processes.endedAt));
  await db.update(processes).set({ endedAt: now, outcome }).where(isOpen);
}

export async function listProcesses(
  db: Db,
  sessionId: string,
  { open = false }: { open?: boolean },
): Promise<ProcessRecord[]> {
  const ofSession = eq(processes.sessionId, sessionId);
  const wanted = open ? and(ofSession, isNull(processes.endedAt)) : ofSession;
  const rows = await db.select().from(processes).where(wanted).orderBy(asc(processes.key));
  return rows.map(toProcessRecord);
}
