import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';

/** Says that the connection is lost. What was sent before is stored, and what is missed is read afterwards. */
export function ConnectionLine() {
  const { connection } = useServer();
  const isOnline = useStore(connection.store, (state) => state.isOnline);
  return (
    <div role="status">
      {!isOnline && <p className="connection-line">The server does not answer. Connecting again…</p>}
    </div>
  );
}
