import type { LonghaulClient } from '@longhaul/client';
import type { MessagePage } from '@longhaul/protocol/api';
import type { StoreApi } from 'zustand/vanilla';
import type { LiveTexts } from './live-texts.ts';
import { mergeMessages, settledUntil } from './message-list.ts';
import type { SessionState } from './session-state.ts';

/** Enough for a large screen. `public/early.js` asks for the same page. */
const FIRST_PAGE = 20;
/** Few enough that rendering them delays no scroll. */
const EARLIER_PAGE = 50;
const PAGE = 200;
/** Pages that are read at a time on the way to a linked message. */
const PAGES_AT_ONCE = 4;

export interface MessageReaderOptions {
  client: Pick<LonghaulClient, 'messages'>;
  sessionId: string;
  store: StoreApi<SessionState>;
  live: LiveTexts;
}

/** Reads messages of a session into its state. */
export class MessageReader {
  readonly #options: MessageReaderOptions;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  newest(signal: AbortSignal): Promise<MessagePage> {
    const { client, sessionId } = this.#options;
    return client.messages(sessionId, { limit: FIRST_PAGE }, { signal });
  }

  /** Reads the messages that can still change, and newer ones. */
  async readTail(): Promise<void> {
    await this.#readFrom(settledUntil(this.#state.messages));
  }

  /** Reads all loaded messages again, and newer ones. */
  async readLoaded(): Promise<void> {
    const first = this.#state.messages[0];
    if (first !== undefined) await this.#readFrom(first.sequence - 1);
  }

  /** Reads the page of messages before the loaded ones. */
  async readEarlier(): Promise<void> {
    const first = this.#state.messages[0];
    if (first !== undefined && this.#state.hasEarlier) await this.#readPages([first.sequence], EARLIER_PAGE);
  }

  /** Loads all messages from this one on. Returns false if the session has no such message. */
  async readUntil(sequence: number): Promise<boolean> {
    for (;;) {
      const first = this.#state.messages[0]?.sequence ?? 0;
      if (!this.#state.hasEarlier || first <= sequence) break;
      // Sequences have no gaps, so several pages can be read at a time.
      const befores = Array.from({ length: PAGES_AT_ONCE }, (_, page) => first - page * PAGE);
      await this.#readPages(befores.filter((before) => before > sequence));
    }
    return this.#state.messages.some((message) => message.sequence === sequence);
  }

  get #state(): SessionState {
    return this.#options.store.getState();
  }

  async #readFrom(start: number): Promise<void> {
    const { client, sessionId, store, live } = this.#options;
    for (let after = start; ; ) {
      const { messages, hasMore } = await client.messages(sessionId, { limit: PAGE, after });
      store.setState({ messages: mergeMessages(this.#state.messages, messages) });
      for (const { id, status } of messages) if (status !== 'running') live.drop(id);
      const last = messages.at(-1);
      if (!hasMore || last === undefined) return;
      after = last.sequence;
    }
  }

  /** Reads pages that follow each other, the newest first. */
  async #readPages(befores: readonly number[], limit = PAGE): Promise<void> {
    const { client, sessionId, store } = this.#options;
    const pages = await Promise.all(befores.map((before) => client.messages(sessionId, { limit, before })));
    const read = pages.flatMap(({ messages }) => messages);
    store.setState({
      messages: mergeMessages(this.#state.messages, read),
      hasEarlier: pages.at(-1)?.hasMore ?? false,
    });
  }
}
