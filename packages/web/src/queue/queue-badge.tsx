import { useSessionState } from '../data/use-session.ts';

/** The number of waiting messages. */
export function QueueBadge() {
  const queue = useSessionState((state) => state.queue);
  if (queue.length === 0) return null;
  return <span className="button small">{queue.length} queued</span>;
}
