import type { Store } from '../ports/index.ts';
import { isAnswered } from './turn-state.ts';

/** Whether `resume` would find nothing to do, seen from outside: no model is needed for that. */
export async function isNothingToResume(store: Store, sessionId: string): Promise<boolean> {
  const [holder, { messages }, waiting] = await Promise.all([
    store.leaseHolder(sessionId),
    store.readMessages(sessionId, { limit: 2 }),
    store.listQueue(sessionId),
  ]);
  return holder === undefined && waiting.length === 0 && isAnswered(messages);
}
