import type { ProcessOutcome, ProcessPlace, ProcessRecord, SandboxKind } from '@longhaul/core';
import { withoutNulls } from './json.ts';

export interface ProcessRow {
  id: string;
  sessionId: string;
  runId: string;
  command: string;
  driver: SandboxKind;
  host: string;
  bootId: string;
  mark: string;
  pid: number | null;
  processStartedAt: string | null;
  pidNamespace: string | null;
  cgroups: string | null;
  container: string | null;
  startedAt: number;
  endedAt: number | null;
  outcome: ProcessOutcome | null;
}

export function toProcessRecord(row: ProcessRow): ProcessRecord {
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
