import pg from 'pg';
import { endIfSilent } from './silence.ts';

const RECONNECT_MS = 1_000;

export interface NotificationListener {
  end(): Promise<void>;
}

/** Listens on a connection of its own. A lost connection is made again. It does not keep the process alive. */
export function listenTo(
  config: pg.ClientConfig,
  channel: string,
  {
    silentMs,
    onMessage,
    onConnected,
  }: {
    /** A lost connection is noticed after twice this time. Undefined: when the system notices it. */
    silentMs: number | undefined;
    onMessage: (payload: string | undefined) => void;
    onConnected: () => void;
  },
): NotificationListener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let connecting = connectAgain();

  async function connectAgain(): Promise<void> {
    const next = new pg.Client(config);
    client = next;
    next.on('error', () => {});
    next.on('end', again);
    next.on('notification', ({ payload }) => onMessage(payload));
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
      if (silentMs !== undefined) ask(next, silentMs);
      onConnected();
    } catch {
      // The store's own queries report that the server cannot be reached.
      await next.end().catch(() => undefined);
      again();
    }
  }

  /** Nothing else is sent on this connection. */
  function ask(asked: pg.Client, everyMs: number): void {
    endIfSilent(asked, everyMs);
    // A failure ends the connection, which is then made again.
    const asking = setInterval(() => void asked.query('SELECT').catch(() => undefined), everyMs).unref();
    asked.on('end', () => clearInterval(asking));
  }

  function again(): void {
    if (isOver || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      connecting = connectAgain();
    }, RECONNECT_MS);
    timer.unref();
  }

  return {
    async end() {
      isOver = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}
