import { addUsage, type Message, type TokenUsage, ZERO_USAGE } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';
import { descendantsOf } from './subtasks/family-tree.ts';

/** What the answers of a session's model have used. Summaries are not included. */
export interface SessionSpent {
  /** Answers of the model. */
  steps: number;
  usage: TokenUsage;
  /** US dollars. Undefined: no price is known. */
  cost: number | undefined;
}

/** The amount of a session without answers. */
export const NOTHING_SPENT: SessionSpent = { steps: 0, usage: ZERO_USAGE, cost: undefined };

/** Adds a message, if it is an answer of the model. */
export function withAnswer(
  spent: SessionSpent,
  { usage, cost }: Pick<Message, 'usage' | 'cost'>,
): SessionSpent {
  return usage === undefined ? spent : addSpent(spent, { steps: 1, usage, cost });
}

/** Returns the sum of two amounts. The cost is known if one of them has one. */
export function addSpent(one: SessionSpent, other: SessionSpent): SessionSpent {
  const isPriced = one.cost !== undefined || other.cost !== undefined;
  return {
    steps: one.steps + other.steps,
    usage: addUsage(one.usage, other.usage),
    cost: isPriced ? (one.cost ?? 0) + (other.cost ?? 0) : undefined,
  };
}

const PAGE = 1_000;

/** Adds up the answers of one session, without those of its children. */
export async function spentBy(store: Pick<Store, 'readMessages'>, sessionId: string): Promise<SessionSpent> {
  let spent = NOTHING_SPENT;
  for (let after = 0; ; ) {
    const { messages } = await store.readMessages(sessionId, { after, limit: PAGE, skipParts: true });
    spent = messages.reduce(withAnswer, spent);
    const last = messages.at(-1);
    if (last === undefined || messages.length < PAGE) return spent;
    after = last.sequence;
  }
}

/** What the children of a session, and their children, have used. */
export interface ChildrenSpent extends SessionSpent {
  /** Number of these sessions. */
  sessions: number;
}

/** Returns undefined if the session has no children. */
export async function spentByChildren(
  store: Pick<Store, 'readMessages' | 'listSessions'>,
  sessionId: string,
  spentOf: (sessionId: string) => Promise<SessionSpent> = (id) => spentBy(store, id),
): Promise<ChildrenSpent | undefined> {
  let sessions = 0;
  let spent = NOTHING_SPENT;
  for await (const { session } of descendantsOf(store, sessionId)) {
    sessions += 1;
    spent = addSpent(spent, await spentOf(session.id));
  }
  return sessions === 0 ? undefined : { sessions, ...spent };
}
