import type { LonghaulClient } from '@longhaul/client';
import type { Approval } from '@longhaul/protocol';
import type { SessionDetail } from '@longhaul/protocol/api';
import { Coalesced } from './coalesced.ts';
import { MessageReader, type MessageReaderOptions } from './message-reader.ts';
import type { Stored } from './session-changes.ts';

export interface SessionReaderOptions extends MessageReaderOptions {
  client: LonghaulClient;
  onError: (error: unknown) => void;
}

/** Reads what is stored of a session into its state. Each kind is read once at a time. */
export class SessionReader {
  readonly messages: MessageReader;
  readonly #options: SessionReaderOptions;
  readonly #readings: Readonly<Record<Stored, Coalesced>>;
  /** Also those of a run that has ended, until they are read again. */
  #openApprovals: readonly Approval[] = [];

  constructor(options: SessionReaderOptions) {
    this.#options = options;
    this.messages = new MessageReader(options);
    const reading = (task: () => Promise<void>) => new Coalesced(task, options.onError);
    this.#readings = {
      tail: reading(() => this.messages.readTail()),
      loaded: reading(() => this.messages.readLoaded()),
      detail: reading(() => this.#readDetail()),
      queue: reading(() => this.#readQueue()),
      approvals: reading(() => this.#readApprovals()),
      context: reading(() => this.#readContext()),
    };
  }

  /** Reads these soon. */
  request(...kinds: readonly Stored[]): void {
    for (const kind of kinds) this.#readings[kind].request();
  }

  /**
   * Reads what is shown first: the state and the newest messages. Both are read at the same time, so the messages can
   * be older than the number of the last event, and `tail` is to be read again.
   */
  async readFirst(signal: AbortSignal): Promise<SessionDetail> {
    const { client, sessionId, store } = this.#options;
    const [detail, { messages, hasMore }] = await Promise.all([
      client.sessions.get(sessionId, { signal }),
      this.messages.newest(signal),
    ]);
    const isRunning = detail.state === 'running';
    store.setState({ phase: 'ready', detail, messages, hasEarlier: hasMore, isRunning });
    return detail;
  }

  async #readDetail(): Promise<void> {
    const { client, sessionId, live } = this.#options;
    const detail = await client.sessions.get(sessionId);
    const isRunning = detail.state === 'running';
    this.#options.store.setState({ detail, isRunning });
    this.#showApprovals();
    if (!isRunning) live.clear();
  }

  async #readQueue(): Promise<void> {
    const { client, sessionId, store } = this.#options;
    const { messages } = await client.queue.list(sessionId);
    store.setState({ queue: messages });
  }

  async #readApprovals(): Promise<void> {
    const { client, sessionId } = this.#options;
    const { approvals } = await client.approvals.list(sessionId, { open: true });
    this.#openApprovals = approvals;
    this.#showApprovals();
  }

  /** Requests of a run that has ended can no longer be answered. */
  #showApprovals(): void {
    const { store } = this.#options;
    const approvals = store.getState().isRunning ? this.#openApprovals : [];
    if (approvals.length > 0 || store.getState().approvals.length > 0) store.setState({ approvals });
  }

  async #readContext(): Promise<void> {
    const { client, sessionId, store } = this.#options;
    store.setState({ context: await client.context(sessionId) });
  }
}
