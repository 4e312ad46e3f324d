import type { Lease, NewProcess, ProcessOutcome, ProcessRecord } from '@longhaul/core';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { toProcessRecord } from '../shared/process-rows.ts';
import type { Drizzle } from './connection.ts';
import { processes } from './schema.ts';

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
      return db.select().from(processes).where(wanted).orderBy(asc(processes.key)).all().map(toProcessRecord);
    },
  };
}
