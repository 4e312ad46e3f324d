import type { LedgerKeeper } from '@longhaul/context/engine';

/** The facts of a session, and what decides when they are stored as a checkpoint. */
export interface KeptLedger {
  readonly keeper: LedgerKeeper;
  /** Sequence of the newest message in the fold, and its id. */
  last: { sequence: number; id: string } | undefined;
  checkpoint: { sequence: number; chars: number };
  /** Characters of the messages since the checkpoint. */
  charsSince: number;
}

/** Facts take some megabytes in a long session. */
const MAX_SESSIONS = 4;

/**
 * Keeps the facts of the last sessions between their runs in this process. Otherwise the first compaction of every run
 * would read all messages since the last checkpoint.
 */
export class KeptLedgers {
  readonly #bySession = new Map<string, KeptLedger>();

  get(sessionId: string): KeptLedger | undefined {
    return this.#bySession.get(sessionId);
  }

  keep(sessionId: string, ledger: KeptLedger): void {
    this.#bySession.delete(sessionId);
    this.#bySession.set(sessionId, ledger);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > MAX_SESSIONS && oldest !== undefined) this.#bySession.delete(oldest);
  }
}
