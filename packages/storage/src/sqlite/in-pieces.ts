import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionQueue } from './transaction-queue.ts';

/** Of the time that a piece took, what comes before the next: a program that waits for the lock only looks now and then. */
const PAUSE_SHARE = 1 / 3;

/**
 * Writes piece after piece, each in a transaction of its own: others wait for a piece, not for the whole. A piece is told how far the one before
 * came, and answers how far it came, or that there was nothing left.
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
