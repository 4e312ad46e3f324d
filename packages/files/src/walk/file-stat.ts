import type { BigIntStats } from 'node:fs';
import type { FileStat } from '../format/node.ts';

/**
 * A file that changed this recently can change again with the same time. File systems with whole seconds need more; a
 * time without a fraction can come from one.
 */
const UNSETTLED_MS = 100n;
const UNSETTLED_COARSE_MS = 2_100n;
const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/**
 * Returns what identifies a content.
 *
 * @param readAtMs The clock before the content was read.
 */
export function toFileStat(info: BigIntStats, readAtMs: number): FileStat {
  const { size, mtimeNs, ctimeNs, ino, mode } = info;
  const isSettled = [mtimeNs, ctimeNs].every((time) => time + marginOf(time) < toNs(readAtMs));
  return { size, mtimeNs, ctimeNs, ino, mode, isSettled };
}

function marginOf(time: bigint): bigint {
  return (time % NS_PER_SECOND === 0n ? UNSETTLED_COARSE_MS : UNSETTLED_MS) * NS_PER_MS;
}

function toNs(ms: number): bigint {
  return BigInt(Math.floor(ms)) * NS_PER_MS;
}

/** Whether a file still has the content that it had when `known` was read. */
export function isUnchanged(known: FileStat | undefined, now: BigIntStats): boolean {
  return known?.isSettled === true && isSameStat(known, now);
}

export function isSameStat(a: Omit<FileStat, 'isSettled'>, b: BigIntStats): boolean {
  return (
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mode === b.mode
  );
}
