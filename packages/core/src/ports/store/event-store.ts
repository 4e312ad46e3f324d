import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

/** What was told of a session. */
export interface EventStore {
  appendEvents(lease: Lease, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;
  /** The number of the session's newest event, 0 without one. */
  lastEventNumber(sessionId: string): Promise<number>;
  /** Durable events with a number greater than `after`, in order. */
  readEvents(sessionId: string, options?: { after?: number; limit?: number }): Promise<LonghaulEvent[]>;
}
