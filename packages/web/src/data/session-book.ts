import type { LonghaulClient } from '@longhaul/client';
import { OpenSession } from './open-session.ts';

/** Opens a session when the first view of it appears, and closes it after the last one has gone. */
export class SessionBook {
  readonly #client: LonghaulClient;
  readonly #open = new Map<string, { session: OpenSession; views: number }>();

  constructor(client: LonghaulClient) {
    this.#client = client;
  }

  /** Each call needs a call of `close`. */
  open(sessionId: string): OpenSession {
    let entry = this.#open.get(sessionId);
    if (entry === undefined) {
      entry = { session: new OpenSession(this.#client, sessionId), views: 0 };
      this.#open.set(sessionId, entry);
    }
    entry.views += 1;
    entry.session.start();
    return entry.session;
  }

  close(sessionId: string): void {
    const entry = this.#open.get(sessionId);
    if (entry === undefined) return;
    entry.views -= 1;
    if (entry.views > 0) return;
    entry.session.stop();
    this.#open.delete(sessionId);
  }
}
