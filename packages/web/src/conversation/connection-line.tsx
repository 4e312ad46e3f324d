import { useSessionState } from '../data/use-session.ts';

/** Says that the connection is lost. What was sent before is stored, and what is missed is read afterwards. */
export function ConnectionLine() {
  const isOnline = useSessionState((state) => state.isOnline);
  return (
    <div role="status">
      {!isOnline && <p className="connection-line">The server does not answer. Connecting again…</p>}
    </div>
  );
}
