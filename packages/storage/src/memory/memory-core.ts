import type { Claimant, Lease, LeaseHolder } from '@longhaul/core';
import {
  type EventPayload,
  type JsonValue,
  type LonghaulEvent,
  type Mark,
  type Message,
  toLonghaulError,
} from '@longhaul/protocol';
import { type Clock, isHeld } from '../shared/clock.ts';
import { Listeners } from '../shared/listeners.ts';
import { idTaken, messageNotInSession, sessionNotFound, storeClosed } from '../shared/store-errors.ts';
import type { MemorySession } from './memory-session.ts';

/** State and checks shared by the parts of a memory store. */
export class MemoryCore {
  readonly clock: Clock;
  readonly settings = new Map<string, JsonValue>();
  readonly watchers = new Listeners();
  /** Ids of all runs and all sessions, in the order of their creation. */
  readonly runIds = new Set<string>();
  readonly sessionIds = new Set<string>();
  #sessions: Map<string, MemorySession> | undefined = new Map();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get all(): Map<string, MemorySession> {
    if (this.#sessions === undefined) throw storeClosed();
    return this.#sessions;
  }

  get list(): MemorySession[] {
    return [...this.all.values()];
  }

  get(sessionId: string): MemorySession {
    const held = this.all.get(sessionId);
    if (held === undefined) throw sessionNotFound(sessionId);
    return held;
  }

  /** Returns the lease holder. With a claimant, only a holder that blocks the claimant. */
  holder({ holder }: MemorySession, claimant?: Claimant): LeaseHolder | undefined {
    if (holder === undefined) return undefined;
    if (claimant !== undefined && !isHeld(holder, claimant, this.clock)) return undefined;
    const { expiresUptime: _uptime, ...leaseHolder } = holder;
    return leaseHolder;
  }

  held(lease: Lease, events: readonly EventPayload[] = []): MemorySession {
    const held = this.get(lease.sessionId);
    held.check(lease, events);
    return held;
  }

  message(held: MemorySession, messageId: string): Message {
    const message = held.messages.find(({ id }) => id === messageId);
    if (message === undefined) throw messageNotInSession(messageId, held.session.id);
    return message;
  }

  refuseKnown(messageId: string): void {
    const isKnown = this.list.some(({ messages }) => messages.some(({ id }) => id === messageId));
    if (isKnown) throw idTaken('message', messageId);
  }

  addMarks(lease: Lease, marks: readonly Mark[], events: readonly EventPayload[]): LonghaulEvent[] {
    const held = this.held(lease, events);
    const ids = new Set(this.list.flatMap((session) => session.marks.map(({ id }) => id)));
    for (const { id } of marks) {
      if (ids.has(id)) throw idTaken('mark', id);
      ids.add(id);
    }
    held.marks.push(...structuredClone([...marks]));
    return held.appendEvents(events);
  }

  guarded<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw toLonghaulError(error);
    }
  }

  close(): void {
    this.watchers.clear();
    this.#sessions = undefined;
  }
}
