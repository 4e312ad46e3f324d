import { Listeners } from '../shared/listeners.ts';
import type { Connection } from './connection.ts';

const POLL_MS = 100;

/** Looks, while anyone listens, whether another connection has committed. One read of shared memory each time. */
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

  /** Where the database cannot be read, listeners read it themselves, and are told what is wrong with it. */
  function versionOrUndefined(): number | undefined {
    try {
      return connection.dataVersion();
    } catch {
      return undefined;
    }
  }

  return listeners;
}
