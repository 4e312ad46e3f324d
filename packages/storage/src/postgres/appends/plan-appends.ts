import type { Lease } from '@longhaul/core';
import { assertHeld } from '../heads.ts';
import { AppendRows } from './append-rows.ts';
import type { HeadStep } from './append-statement.ts';
import { SessionPlan, type SessionState } from './session-state.ts';

/** One call of the store, which waits for its statement. */
export interface Append {
  lease: Lease;
  /** The stored message that it changes. */
  messageId: string | undefined;
  /** Called again if the session was not as expected. Only the result of the last call counts. */
  plan: (plan: SessionPlan) => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface PlannedStep extends HeadStep {
  /** Appends that write nothing, with the reason. */
  refused: ReadonlyMap<Append, unknown>;
}

/** Changes the state. */
export function planAppends(state: SessionState, appends: readonly Append[], now: number): PlannedStep {
  const before = { ...state.head };
  const rows = new AppendRows();
  const plan = new SessionPlan(state, rows, now);
  const refused = new Map<Append, unknown>();
  for (const append of appends) {
    try {
      assertHeld(state.head, append.lease);
      append.plan(plan);
    } catch (error) {
      refused.set(append, error);
    }
  }
  // Only events count as a use of the session.
  if (rows.events.length > 0) state.head.updatedAt = Math.max(before.updatedAt, now);
  return { before, after: state.head, rows, refused };
}

/** Returns the ids of the stored messages that the appends change. */
export function changedMessages(appends: readonly Append[]): string[] {
  return [...new Set(appends.flatMap(({ messageId }) => messageId ?? []))];
}
