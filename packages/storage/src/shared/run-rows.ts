import type { Claimant, LeaseOwner, RunRecord } from '@longhaul/core';
import type { RunStatus } from '@longhaul/protocol';
import { withoutNulls } from './json.ts';

export interface AcquireOptions extends Claimant {
  runId: string;
  ttlMs: number;
}

export interface RunRow extends LeaseOwner {
  runId: string;
  sessionId: string;
  epoch: number;
  startedAt: number;
  endedAt: number | null;
  status: RunStatus | null;
}

export function toRunRecord(row: RunRow): RunRecord {
  const { runId, sessionId, startedAt, endedAt, status } = row;
  return withoutNulls({ runId, sessionId, owner: ownerOf(row), startedAt, endedAt, status });
}

export function ownerOf({ host, bootId, pid, processStartedAt }: RunRow): LeaseOwner {
  return { host, bootId, pid, processStartedAt };
}
