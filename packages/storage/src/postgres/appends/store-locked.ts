import { leaseLost } from '../../shared/store-errors.ts';
import type { Connection } from '../connection.ts';
import { lockHead } from '../heads.ts';
import { isLost, outcomeUnknown } from '../postgres-errors.ts';
import { withRetries } from '../retries.ts';
import { appendStatement } from './append-statement.ts';
import { loadMessages } from './load-state.ts';
import { type Append, changedMessages, planAppends } from './plan-appends.ts';

/** The state of a session's head before appends were sent. */
export interface SentFrom {
  epoch: number;
  appends: number;
}

export interface LockedOptions {
  connection: Connection;
  address: string;
  now: () => number;
  /** The last append to the session that the server has confirmed. */
  confirmed: SentFrom | undefined;
  /** Appends were sent from this state, and the answer was lost. */
  sentFrom: SentFrom | undefined;
}

/**
 * Stores appends of one session with its head locked. Returns those that were refused, with the reason, and the head's
 * state before them.
 *
 * An answer that was lost is looked up first. The lock waits for the lost statement if the server still runs it, and a
 * statement that comes later finds another number of appends.
 */
export async function storeLocked(
  sessionId: string,
  appends: readonly Append[],
  { connection, address, now, confirmed, sentFrom }: LockedOptions,
): Promise<{ refused: ReadonlyMap<Append, unknown>; from: SentFrom }> {
  let sent = sentFrom;
  let refused: ReadonlyMap<Append, unknown> = new Map();
  const once = () =>
    connection.db.transaction(async (tx) => {
      const { head } = await lockHead(tx, sessionId);
      if (sent !== undefined && head.epoch === sent.epoch && head.appends > sent.appends)
        return { refused, from: sent };
      // A replica became the primary server without the newest rows.
      if (confirmed !== undefined && head.epoch === confirmed.epoch && head.appends < confirmed.appends)
        throw leaseLost(sessionId, head.runId ?? '');
      const messages = await loadMessages(tx, changedMessages(appends));
      const own = messages.filter(({ row }) => row.sessionId === sessionId);
      const state = { head, messages: new Map(own.map((message) => [message.row.id, message])) };
      const step = planAppends(state, appends, now());
      refused = step.refused;
      const from = { epoch: step.before.epoch, appends: step.before.appends };
      if (refused.size < appends.length) {
        await tx.execute(appendStatement([step]));
        sent = from;
      }
      return { refused, from };
    });
  try {
    return await withRetries(once);
  } catch (error) {
    if (sent !== undefined && isLost(error)) throw outcomeUnknown(address, error);
    throw error;
  }
}
