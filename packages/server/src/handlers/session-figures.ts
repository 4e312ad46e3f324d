import {
  type ChildrenSpent,
  type LastMeasure,
  NOTHING_SPENT,
  type Runtime,
  type SessionSpent,
  type Store,
  spentByChildren,
  withAnswer,
} from '@longhaul/core';
import type { Session } from '@longhaul/protocol';

/** What a list of sessions shows of each one. The usage is its own: that of its children is separate. */
export interface SessionFigures extends SessionSpent {
  /** Undefined: the session has no children. */
  children: ChildrenSpent | undefined;
  context: LastMeasure | undefined;
  queued: number;
  openApprovals: number;
}

interface Totals {
  /** Sequence of the last message that was added. */
  through: number;
  spent: SessionSpent;
}

const MAX_KEPT = 2_000;
const PAGE = 1_000;

/** Returns the figures of sessions. Messages are added up once, so a list costs little the next time. */
export function createSessionFigures({
  store,
  runtime,
}: {
  store: Store;
  runtime: Pick<Runtime, 'lastMeasureOf'>;
}): (session: Session) => Promise<SessionFigures> {
  const kept = new Map<string, Totals>();

  async function spentOf(sessionId: string): Promise<SessionSpent> {
    let totals = kept.get(sessionId) ?? { through: 0, spent: NOTHING_SPENT };
    for (;;) {
      const page = { after: totals.through, limit: PAGE, skipParts: true };
      const { messages } = await store.readMessages(sessionId, page);
      const open = messages.findIndex(({ status }) => status === 'running');
      const closed = open === -1 ? messages : messages.slice(0, open);
      totals = {
        through: closed.at(-1)?.sequence ?? totals.through,
        spent: closed.reduce(withAnswer, totals.spent),
      };
      if (closed.length < PAGE) break;
    }
    kept.delete(sessionId);
    kept.set(sessionId, totals);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return totals.spent;
  }

  return async (session) => {
    const { id } = session;
    const [spent, children, context, queue, approvals] = await Promise.all([
      spentOf(id),
      spentByChildren(store, id, spentOf),
      runtime.lastMeasureOf(session),
      store.listQueue(id),
      store.listApprovals(id, { open: true }),
    ]);
    return { ...spent, children, context, queued: queue.length, openApprovals: approvals.length };
  };
}
