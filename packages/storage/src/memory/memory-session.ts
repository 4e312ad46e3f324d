import type {
  Lease,
  LeaseHolder,
  LedgerCheckpoint,
  MessageDraft,
  OutputRecord,
  ProcessRecord,
  RunRecord,
} from '@longhaul/core';
import type {
  Approval,
  EventPayload,
  LonghaulEvent,
  Mark,
  Message,
  QueuedMessage,
  RunStatus,
  Session,
} from '@longhaul/protocol';
import type { Expiry } from '../shared/clock.ts';
import { moved } from '../shared/moved.ts';
import { assertDurable, leaseLost } from '../shared/store-errors.ts';

interface QueueEntry {
  message: QueuedMessage;
  /** Order of arrival among the messages of all sessions. */
  key: number;
  state: 'waiting' | 'taken' | 'removed';
  /** The result of the first `enqueue`, returned again for a repeated id. */
  answer: { position: number; events: LonghaulEvent[] };
}

/** All stored data of one session. Methods check before they change anything, so that an error changes nothing. */
export class MemorySession {
  readonly messages: Message[] = [];
  readonly marks: Mark[] = [];
  readonly approvals: Approval[] = [];
  readonly runs: RunRecord[] = [];
  readonly processes: ProcessRecord[] = [];
  readonly outputs: OutputRecord[] = [];
  readonly events: LonghaulEvent[] = [];
  queue: QueueEntry[] = [];
  session: Session;
  checkpoint: LedgerCheckpoint | undefined;
  holder: (LeaseHolder & Expiry) | undefined;
  /** Ids of runs with a cancel request. */
  readonly cancels = new Set<string>();
  epoch = 0;
  readonly #now: () => number;

  constructor(session: Session, now: () => number) {
    this.session = session;
    this.#now = now;
  }

  /** Now, or the session's newest stored time if the clock was set back since. */
  get time(): number {
    return Math.max(this.session.updatedAt, this.#now());
  }

  get waiting(): QueueEntry[] {
    return this.queue.filter((entry) => entry.state === 'waiting');
  }

  /** @throws {LonghaulError} `lease_lost`; `internal` for events that are not stored. */
  check(lease: Lease, events: readonly EventPayload[]): void {
    if (this.holder?.epoch !== lease.epoch || this.holder.runId !== lease.runId) {
      throw leaseLost(lease.sessionId, lease.runId);
    }
    assertDurable(events);
  }

  appendEvents(payloads: readonly EventPayload[]): LonghaulEvent[] {
    const sessionId = this.session.id;
    const numbered = payloads.map((payload, index) => ({
      ...structuredClone(payload),
      sessionId,
      at: this.time,
      number: this.events.length + index + 1,
    }));
    this.events.push(...numbered);
    if (numbered.length > 0) this.touch();
    return structuredClone(numbered);
  }

  appendMessage(draft: MessageDraft): Message {
    const sequence = (this.messages.at(-1)?.sequence ?? 0) + 1;
    const message = { ...structuredClone(draft), sessionId: this.session.id, sequence };
    this.messages.push(message);
    this.touch();
    return structuredClone(message);
  }

  endRun(status: RunStatus): void {
    const run = this.runs.find(({ runId }) => runId === this.holder?.runId);
    if (run !== undefined) Object.assign(run, { endedAt: this.time, status });
    this.holder = undefined;
  }

  /** Moves a waiting message among the waiting ones. Returns false if it does not wait. */
  moveQueued(id: string, position: number): boolean {
    const waiting = moved(this.waiting, ({ message }) => message.id === id, position);
    if (waiting === undefined) return false;
    this.queue = [...this.queue.filter((entry) => entry.state !== 'waiting'), ...waiting];
    return true;
  }

  /** Removes all waiting messages and returns their number. */
  clearQueue(): number {
    const { waiting } = this;
    for (const entry of waiting) entry.state = 'removed';
    return waiting.length;
  }

  touch(): void {
    this.session.updatedAt = this.time;
  }
}

/** Appends the note that follows another change. */
export function noted(held: MemorySession, note: MessageDraft | undefined): { note?: Message } {
  return note === undefined ? {} : { note: held.appendMessage(note) };
}
