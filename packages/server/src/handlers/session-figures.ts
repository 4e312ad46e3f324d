import type { LastMeasure, Runtime, Store } from '@longhaul/core';
import type { Message, Session, TokenUsage } from '@longhaul/protocol';

/** What a list of sessions shows of each one. */
export interface SessionFigures {
  /** Answers of the model. */
  steps: number;
  usage: TokenUsage;
  /** In US dollars, without summaries. Undefined: no price is known. */
  cost: number | undefined;
  context: LastMeasure | undefined;
  queued: number;
  openApprovals: number;
}

interface Totals {
  /** Sequence of the last message that was added. */
  through: number;
  steps: number;
  usage: TokenUsage;
  cost: number | undefined;
}

const MAX_KEPT = 2_000;
const PAGE = 1_000;

const NOTHING: Totals = {
  through: 0,
  steps: 0,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
  },
  cost: undefined,
};

/** Returns the figures of sessions. Messages are added up once, so a list costs little the next time. */
export function createSessionFigures({
  store,
  runtime,
}: {
  store: Store;
  runtime: Pick<Runtime, 'lastMeasureOf'>;
}): (session: Session) => Promise<SessionFigures> {
  const kept = new Map<string, Totals>();

  async function totalsOf(sessionId: string): Promise<Totals> {
    let totals = kept.get(sessionId) ?? NOTHING;
    for (;;) {
      const page = { after: totals.through, limit: PAGE, skipParts: true };
      const { messages } = await store.readMessages(sessionId, page);
      const open = messages.findIndex(({ status }) => status === 'running');
      const closed = open === -1 ? messages : messages.slice(0, open);
      totals = closed.reduce(withMessage, totals);
      if (closed.length < PAGE) break;
    }
    kept.delete(sessionId);
    kept.set(sessionId, totals);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return totals;
  }

  return async (session) => {
    const { id } = session;
    const { steps, usage, cost } = await totalsOf(id);
    const [context, queue, approvals] = await Promise.all([
      runtime.lastMeasureOf(session),
      store.listQueue(id),
      store.listApprovals(id, { open: true }),
    ]);
    return { steps, usage, cost, context, queued: queue.length, openApprovals: approvals.length };
  };
}

function withMessage(totals: Totals, { sequence, usage, cost }: Message): Totals {
  if (usage === undefined) return { ...totals, through: sequence };
  const sum = (name: keyof TokenUsage) => totals.usage[name] + usage[name];
  return {
    through: sequence,
    steps: totals.steps + 1,
    usage: {
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      reasoningTokens: sum('reasoningTokens'),
      cacheReadTokens: sum('cacheReadTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
      totalTokens: sum('totalTokens'),
    },
    cost: cost === undefined ? totals.cost : (totals.cost ?? 0) + cost,
  };
}
