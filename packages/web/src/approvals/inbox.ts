import type { LonghaulClient } from '@longhaul/client';
import { type EventType, toLonghaulError } from '@longhaul/protocol';
import type { ResponseOf } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from '../data/coalesced.ts';
import type { Connection } from '../data/connection.ts';
import type { ServerEvents } from '../data/server-events.ts';

export type InboxItem = ResponseOf<'listOpenApprovals'>['approvals'][number];

export interface InboxState {
  approvals: readonly InboxItem[];
  isLoaded: boolean;
  problem: string | undefined;
}

/** At most this often: 50 sessions can ask at the same time. */
const PAUSE_MS = 500;

/** The open requests of all sessions, oldest first. */
export class Inbox {
  readonly store: StoreApi<InboxState> = createStore<InboxState>(() => ({
    approvals: [],
    isLoaded: false,
    problem: undefined,
  }));
  readonly #reading: Coalesced;

  constructor(client: LonghaulClient) {
    this.#reading = new Coalesced(
      async () => {
        const { approvals } = await client.approvals.inbox();
        this.store.setState({ approvals, isLoaded: true, problem: undefined });
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      },
      (error) => this.store.setState({ problem: toLonghaulError(error).message }),
    );
  }

  refresh(): void {
    this.#reading.request();
  }

  /**
   * Keeps the inbox current, also while the page is hidden: its title shows the number. Returns a function that ends
   * it.
   */
  follow({ events, connection }: { events: ServerEvents; connection: Connection }): () => void {
    this.refresh();
    const ends = [
      events.subscribe(({ type }) => {
        if (CHANGES.has(type)) this.refresh();
      }),
      events.onGap(() => this.refresh()),
      connection.onReturn(() => this.refresh()),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
}

const CHANGES: ReadonlySet<EventType> = new Set([
  'approval:requested',
  'approval:answered',
  'run:finished',
  'run:repaired',
]);
