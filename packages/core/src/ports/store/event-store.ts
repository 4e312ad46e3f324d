import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

/** Stores a session's events. */
export interface EventStore {
  appendEvents(lease: Lease, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;
  /** Returns the number of the session's newest event, or 0 if there is none. */
  lastEventNumber(sessionId: string): Promise<number>;
  /** Returns stored events with a number greater than `after`, in order. */
  readEvents(sessionId: string, options?: { after?: number; limit?: number }): Promise<LonghaulEvent[]>;
}
