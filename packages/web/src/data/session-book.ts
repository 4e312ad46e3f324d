import type { LonghaulClient } from '@longhaul/client';
import type { ContextInfo } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { OpenSession } from './open-session.ts';

/** How long a hidden page keeps the streams of its sessions. */
const HIDDEN_MS = 60_000;

/**
 * Opens a session when the first view of it appears, and closes it after the last one has gone. While the page is
 * hidden, the streams are closed: a browser has six connections to a server for all tabs.
 */
export class SessionBook {
  /** What fills the windows of the open sessions. The list shows the same numbers as the sessions. */
  readonly contexts: StoreApi<ReadonlyMap<string, ContextInfo>> = createStore(() => new Map());
  readonly #client: LonghaulClient;
  readonly #open = new Map<string, { session: OpenSession; views: number }>();
  #hiding: ReturnType<typeof setTimeout> | undefined;

  constructor(client: LonghaulClient) {
    this.#client = client;
    globalThis.document?.addEventListener('visibilitychange', () => this.#onVisibility());
  }

  /** The session, if it is open. */
  current(sessionId: string): OpenSession | undefined {
    return this.#open.get(sessionId)?.session;
  }

  /** Each call needs a call of `close`. */
  open(sessionId: string): OpenSession {
    let entry = this.#open.get(sessionId);
    if (entry === undefined) {
      entry = { session: new OpenSession(this.#client, sessionId), views: 0 };
      this.#open.set(sessionId, entry);
      entry.session.store.subscribe(({ context }) => this.#noteContext(sessionId, context));
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
    this.#noteContext(sessionId, undefined);
  }

  /** Opens the streams of all sessions again, where they ended. */
  reopen(): void {
    if (document.hidden && this.#hiding === undefined) return;
    for (const { session } of this.#open.values()) session.reopen();
  }

  #noteContext(sessionId: string, context: ContextInfo | undefined): void {
    const known = this.contexts.getState();
    if (known.get(sessionId) === context) return;
    const contexts = new Map(known);
    if (context === undefined) contexts.delete(sessionId);
    else if (this.#open.has(sessionId)) contexts.set(sessionId, context);
    this.contexts.setState(contexts, true);
  }

  #onVisibility(): void {
    clearTimeout(this.#hiding);
    const wasPaused = this.#hiding === undefined;
    this.#hiding = undefined;
    if (!document.hidden) {
      if (wasPaused) for (const { session } of this.#open.values()) session.reopen();
      return;
    }
    this.#hiding = setTimeout(() => {
      this.#hiding = undefined;
      for (const { session } of this.#open.values()) session.pause();
    }, HIDDEN_MS);
  }
}
