import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { Listeners } from '../shared/listeners.ts';
import { type Connection, rowsOf } from './connection.ts';
import { listenTo } from './notifications.ts';

/** A lost notification is noticed after this time. */
const POLL_MS = 1_000;
/** Changes within this time send one notification: each one serializes the commits of the whole server. */
const QUIET_MS = 25;
/** The same for appends, of which a server that runs sessions makes many. */
const QUIET_APPENDS_MS = 200;
/** Other stores have long seen what is older. */
const KEPT = '1 hour';

export interface ChangeWatcher {
  add(listener: () => void): Disposable;
  notifySoon(): void;
  /** Informs other stores soon. */
  changed(): void;
  /** Informs other stores of an append, a little later. */
  appended(): void;
  /**
   * Returns a statement for the transaction of a change. Other stores notice the change within a second after the commit,
   * even if this program ends before it has informed them. Call `changed` after the commit.
   */
  counting(): SQL;
  close(): Promise<void>;
}

/**
 * Wakes the stores of other processes, and the listeners of this one when others have changed something. A notification
 * is only a wake-up, and can be lost: each store counts its changes, and stores with listeners compare the counts.
 */
export function createChangeWatcher(connection: Connection, schema: string): ChangeWatcher {
  const store = randomUUID();
  const channel = `longhaul_${schema}`;
  let hasCounted = false;
  let sending: Promise<void> | undefined;
  let waiting: { timer: NodeJS.Timeout; ms: number } | undefined;
  let watching: Watch | undefined;
  const listeners = new Listeners({
    onFirst() {
      watching = watch({ connection, channel, store, onChange: () => listeners.notify() });
    },
    onLast: () => watching?.end(),
  });

  // A row for each connection: the transactions of a store would wait for each other to commit if they shared one.
  const count = sql`
    INSERT INTO changes AS known (store, count, changed_at) VALUES (${store} || '/' || pg_backend_pid(), 1, now())
    ON CONFLICT (store) DO UPDATE SET count = known.count + 1, changed_at = now()`;

  function sendWithin(ms: number): void {
    if (waiting !== undefined && waiting.ms <= ms) return;
    clearTimeout(waiting?.timer);
    waiting = { timer: setTimeout(send, ms).unref(), ms };
  }

  function send(): void {
    waiting = undefined;
    hasCounted = true;
    // Stores that miss it notice the next change, or wait for the run's lease to end.
    const counted = sql`
      WITH counted AS (${count} RETURNING count), quick AS (SELECT set_config('synchronous_commit', 'off', true) AS setting)
      SELECT pg_notify(${channel}, ${store}), quick.setting FROM counted, quick`;
    sending = connection.db.execute(counted).then(
      () => undefined,
      () => undefined,
    );
  }

  /** Deletes the rows of stores that have ended, and those of idle ones. A failure leaves them to a later store. */
  async function deleteOld(): Promise<void> {
    const deleted = sql`DELETE FROM changes WHERE changed_at < now() - ${KEPT}::interval`;
    await connection.db.execute(deleted).catch(() => undefined);
  }

  return {
    add: (listener) => listeners.add(listener),
    notifySoon: () => listeners.notifySoon(),
    changed: () => sendWithin(QUIET_MS),
    appended: () => sendWithin(QUIET_APPENDS_MS),
    counting() {
      hasCounted = true;
      return count;
    },
    async close() {
      if (waiting !== undefined) {
        clearTimeout(waiting.timer);
        send();
      }
      listeners.clear();
      await sending;
      await watching?.ended;
      if (hasCounted) await deleteOld();
    },
  };
}

interface Watch {
  end(): void;
  ended: Promise<void>;
}

function watch({
  connection: { db, config, silentMs },
  channel,
  store,
  onChange,
}: {
  connection: Connection;
  channel: string;
  store: string;
  onChange: () => void;
}): Watch {
  let known: string | undefined;
  let isOver = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    try {
      // Old rows are deleted, so the sum alone could be the same after a change.
      const [row] = await rowsOf<{ state: string }>(
        db,
        sql`SELECT concat(sum(count), ' ', max(changed_at)) AS state FROM changes WHERE NOT starts_with(store, ${store})`,
      );
      const isChanged = known !== undefined && row?.state !== known;
      known = row?.state ?? known;
      if (isChanged && !isOver) onChange();
    } catch {
      // The listeners get the error from their own reads. The next look may succeed.
      if (!isOver) onChange();
    }
  }

  function lookSoon(): void {
    if (isOver) return;
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  const timer = setInterval(lookSoon, POLL_MS);
  timer.unref();
  lookSoon();
  const listener = listenTo(config, channel, {
    silentMs,
    onMessage: (sender) => {
      if (sender !== store) lookSoon();
    },
    onConnected: lookSoon,
  });
  let ended: Promise<void> | undefined;
  return {
    end() {
      isOver = true;
      clearInterval(timer);
      ended = listener.end().then(() => looking);
    },
    get ended() {
      return ended ?? Promise.resolve();
    },
  };
}
