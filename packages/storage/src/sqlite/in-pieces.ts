import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionQueue } from './transaction-queue.ts';

/**
 * Pause after a piece, as a share of its duration. A waiting program only polls for the lock, so it needs this time to
 * get it.
 */
const PAUSE_SHARE = 1 / 3;

/**
 * Writes in pieces, each in its own transaction, so that other writers wait for one piece only. `piece` receives the
 * position that the previous piece reached (0 for the first) and returns its own, or undefined when nothing is left.
 */
export async function inPieces(
  write: TransactionQueue['write'],
  piece: (after: number) => number | undefined,
): Promise<void> {
  for (let after = 0; ; ) {
    const begun = performance.now();
    const last = await write(() => piece(after));
    if (last === undefined) return;
    after = last;
    await sleep((performance.now() - begun) * PAUSE_SHARE);
  }
}
