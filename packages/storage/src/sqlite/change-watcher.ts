import { Listeners } from '../shared/listeners.ts';
import type { Connection } from './connection.ts';

const POLL_MS = 100;

/** Polls for commits of other connections while there are listeners. Each poll is one read of shared memory. */
export function createChangeWatcher(connection: Pick<Connection, 'dataVersion'>): Listeners {
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  const listeners = new Listeners({
    onFirst() {
      known = connection.dataVersion();
      timer = setInterval(look, POLL_MS);
      timer.unref();
    },
    onLast: () => clearInterval(timer),
  });

  function look(): void {
    const version = versionOrUndefined();
    if (version === known) return;
    known = version ?? known;
    listeners.notify();
  }

  /**
   * Returns undefined if the database cannot be read. Listeners are then notified and get the error from their own
   * reads.
   */
  function versionOrUndefined(): number | undefined {
    try {
      return connection.dataVersion();
    } catch {
      return undefined;
    }
  }

  return listeners;
}
