import type { Lease, NewProcess, ProcessOutcome, ProcessPlace, ProcessRecord } from '@longhaul/core';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { withoutNulls } from '../shared/json.ts';
import type { Drizzle } from './connection.ts';
import { processes } from './schema.ts';

type ProcessRow = typeof processes.$inferSelect;

/** The processes that runs have started. */
export function createProcessTable(db: Drizzle, now: () => number) {
  return {
    add({ sessionId, runId }: Lease, { id, command, place }: NewProcess): void {
      const { leader, cgroups, ...rest } = place;
      db.insert(processes)
        .values({
          ...rest,
          id,
          sessionId,
          runId,
          command,
          pid: leader?.pid,
          processStartedAt: leader?.startedAt,
          pidNamespace: leader?.namespace,
          cgroups: cgroups?.join('\n'),
          startedAt: now(),
        })
        .run();
    },

    end(id: string, outcome: ProcessOutcome): void {
      const isOpen = and(eq(processes.id, id), isNull(processes.endedAt));
      db.update(processes).set({ endedAt: now(), outcome }).where(isOpen).run();
    },

    list(sessionId: string, { open = false }: { open?: boolean }): ProcessRecord[] {
      const ofSession = eq(processes.sessionId, sessionId);
      const wanted = open ? and(ofSession, isNull(processes.endedAt)) : ofSession;
      return db.select().from(processes).where(wanted).orderBy(asc(processes.key)).all().map(toRecord);
    },
  };
}

function toRecord(row: ProcessRow): ProcessRecord {
  const { id, sessionId, runId, command, startedAt, endedAt, outcome } = row;
  return {
    ...withoutNulls({ id, sessionId, runId, command, startedAt, endedAt, outcome }),
    place: toPlace(row),
  };
}

function toPlace(row: ProcessRow): ProcessPlace {
  const { driver, host, bootId, mark, container, cgroups, pid, processStartedAt, pidNamespace } = row;
  const place: ProcessPlace = { driver, host, bootId, mark };
  if (container !== null) place.container = container;
  if (cgroups !== null) place.cgroups = cgroups.split('\n');
  if (pid !== null && processStartedAt !== null && pidNamespace !== null)
    place.leader = { pid, startedAt: processStartedAt, namespace: pidNamespace };
  return place;
}
