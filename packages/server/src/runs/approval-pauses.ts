import type { LonghaulEvent } from '@longhaul/protocol';
import type { WaitingRuns } from './waiting-runs.ts';

/**
 * Gives the places of sessions to others while people have to approve calls: that can take days. A session continues at
 * once when all its requests are answered, even if there is no free place.
 */
export class ApprovalPauses {
  readonly #waiting: Pick<WaitingRuns, 'pause' | 'resume'>;
  /** Handles of open requests, by session. */
  readonly #asked = new Map<string, Set<string>>();

  constructor(waiting: Pick<WaitingRuns, 'pause' | 'resume'>) {
    this.#waiting = waiting;
  }

  receive(event: LonghaulEvent): void {
    const { sessionId } = event;
    if (event.type === 'approval:requested') {
      const asked = this.#asked.get(sessionId) ?? new Set();
      this.#asked.set(sessionId, asked.add(event.handle));
      this.#waiting.pause(sessionId);
    }
    if (event.type === 'approval:answered') {
      const asked = this.#asked.get(sessionId);
      if (asked?.delete(event.handle) !== true || asked.size > 0) return;
      this.#asked.delete(sessionId);
      this.#waiting.resume(sessionId);
    }
    if (event.type === 'run:finished') this.#asked.delete(sessionId);
  }
}
