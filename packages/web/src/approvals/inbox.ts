import type { LonghaulClient } from '@longhaul/client';
import { toLonghaulError } from '@longhaul/protocol';
import type { ResponseOf } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from '../data/coalesced.ts';
import type { ServerEvents } from '../data/server-events.ts';

export type InboxItem = ResponseOf<'listOpenApprovals'>['approvals'][number];

export interface InboxState {
  approvals: readonly InboxItem[];
  problem: string | undefined;
}

/** Other processes tell this server nothing, so the inbox is also read at intervals. */
const INTERVAL_MS = 15_000;

/** The open requests of all sessions, oldest first. */
export class Inbox {
  readonly store: StoreApi<InboxState> = createStore<InboxState>(() => ({
    approvals: [],
    problem: undefined,
  }));
  readonly #reading: Coalesced;

  constructor(client: LonghaulClient) {
    this.#reading = new Coalesced(
      async () => {
        const { approvals } = await client.approvals.inbox();
        this.store.setState({ approvals, problem: undefined });
      },
      (error) => this.store.setState({ problem: toLonghaulError(error).message }),
    );
  }

  refresh(): void {
    this.#reading.request();
  }

  /** Returns a function that ends it. */
  follow(events: ServerEvents): () => void {
    this.refresh();
    const unsubscribe = events.subscribe(({ type }) => {
      if (type === 'approval:requested' || type === 'approval:answered' || type === 'run:finished')
        this.refresh();
    });
    const timer = setInterval(() => {
      if (!document.hidden) this.refresh();
    }, INTERVAL_MS);
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }
}
