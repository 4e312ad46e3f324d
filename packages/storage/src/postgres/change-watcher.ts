import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { Listeners } from '../shared/listeners.ts';
import { type Connection, type Db, rowsOf } from './connection.ts';
import { listenTo } from './notifications.ts';

/** A lost notification is noticed after this time. */
const POLL_MS = 1_000;
/** Appends within this time send one notification: each one serializes the commits of the whole server. */
const QUIET_MS = 25;

export interface ChangeWatcher {
  add(listener: () => void): Disposable;
  notifySoon(): void;
  /** Informs other stores soon. */
  changed(): void;
  /** Informs other stores when the transaction is committed. */
  changedIn(tx: Db): Promise<void>;
  close(): Promise<void>;
}

/**
 * Wakes the stores of other processes, and the listeners of this one when others have changed something. A notification
 * is only a wake-up, and can be lost: each store counts its changes, and stores with listeners compare the counts.
 */
export function createChangeWatcher(connection: Connection, schema: string): ChangeWatcher {
  const store = randomUUID();
  const channel = `longhaul_${schema}`;
  let sending: Promise<void> | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let watching: Watch | undefined;
  const listeners = new Listeners({
    onFirst() {
      watching = watch({ connection, channel, store, onChange: () => listeners.notify() });
    },
    onLast: () => watching?.end(),
  });

  const count = (quick: boolean) => sql`
    WITH counted AS (
      INSERT INTO changes AS known (store, count, changed_at) VALUES (${store}, 1, now())
      ON CONFLICT (store) DO UPDATE SET count = known.count + 1, changed_at = now() RETURNING count
    ), quick AS (SELECT ${quick ? sql`set_config('synchronous_commit', 'off', true)` : sql`''`} AS setting)
    SELECT pg_notify(${channel}, ${store}), quick.setting FROM counted, quick`;

  function send(): void {
    waiting = undefined;
    // Stores that miss it notice the next change, or wait for the run's lease to end.
    sending = connection.db.execute(count(true)).then(
      () => undefined,
      () => undefined,
    );
  }

  return {
    add: (listener) => listeners.add(listener),
    notifySoon: () => listeners.notifySoon(),
    changed() {
      if (waiting !== undefined) return;
      waiting = setTimeout(send, QUIET_MS);
      waiting.unref();
    },
    async changedIn(tx) {
      await tx.execute(count(false));
    },
    async close() {
      if (waiting !== undefined) {
        clearTimeout(waiting);
        send();
      }
      listeners.clear();
      await sending;
      await watching?.ended;
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
      const [row] = await rowsOf<{ sum: string }>(
        db,
        sql`SELECT coalesce(sum(count), 0)::text AS sum FROM changes WHERE store <> ${store}`,
      );
      const isChanged = known !== undefined && row?.sum !== known;
      known = row?.sum ?? known;
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
