import type { Random } from '@longhaul/scripted-model';
import { FAULT_POINTS, type FaultPoint } from '@longhaul/testing/fault-points';

/** What is to happen to one process that drives a session. */
export interface LifePlan {
  /** At which it ends itself. */
  fault?: { point: FaultPoint; count: number };
  /** After which it is killed from outside, whatever else was planned. */
  killAfterMs?: number;
  /** Times count from the start of the process, not from when it begins its work. */
  isSoon?: boolean;
  /** After which its run is cancelled. */
  cancelAfterMs?: number;
  /** `inside`: by the process itself. `outside`: by another. `stop`: the process is asked to end, and leaves the session to be gone on with. */
  cancelBy?: CancelWay;
}

export type CancelWay = 'inside' | 'outside' | 'stop';

/** A life that ends when its work does. */
export const UNHARMED: LifePlan = {};

const CANCEL_WAYS: readonly CancelWay[] = ['inside', 'outside', 'stop'];

/** A point that is not reached by then will not be. */
const FAULT_PATIENCE_MS = 5_000;

/** Points that are passed seldom, and those that are passed all the time: how often at the most before it strikes. */
const MOST_COUNTS: Partial<Record<FaultPoint, number>> = {
  'transaction-open': 80,
  'text-before-commit': 20,
  'text-committed': 20,
  'message-before-commit': 4,
  'message-committed': 4,
  'call-before-commit': 6,
  'call-committed': 6,
  'start-committed': 6,
  'tool-started': 6,
  'tool-returned': 6,
  'result-before-commit': 6,
  'result-committed': 6,
  'close-before-commit': 4,
  'close-committed': 4,
};

/** Plans lives by chance: every fault point in turn, and moments that nobody has named. Shared by all sessions of a run. */
export class LifePlanner {
  readonly #random: Random;
  readonly #isBrief: boolean;
  /** Points not yet struck at. */
  readonly #pending: FaultPoint[];
  readonly struck = new Map<FaultPoint, number>();

  /** @param isBrief Goes through the points, each the first time it is passed, and to little else. */
  constructor(random: Random, isBrief = false) {
    this.#random = random;
    this.#isBrief = isBrief;
    const inOrder = FAULT_POINTS.map((point) => ({ point, place: random() }));
    this.#pending = inOrder.toSorted((a, b) => a.place - b.place).map(({ point }) => point);
  }

  get pending(): readonly FaultPoint[] {
    return this.#pending;
  }

  /** The next life of a session. */
  next(): LifePlan {
    const random = this.#random;
    const atPoints = this.#pending.length === 0 ? 0.5 : this.#isBrief ? 0.9 : 0.75;
    if (random() < atPoints) return this.#atFault(this.#pick());
    if (random() < 0.1) return { killAfterMs: random() * 600, isSoon: true };
    // Opening, repair and the first request take their time; what comes after it, a run does over and over.
    const killAfterMs = random() < 0.35 ? random() * 300 : 200 + random() * 3_000;
    if (random() < 0.75) return { killAfterMs };
    const cancelAfterMs = random() * 2_500;
    const cancel = {
      cancelAfterMs,
      cancelBy: CANCEL_WAYS[Math.floor(random() * CANCEL_WAYS.length)] ?? 'inside',
    };
    if (random() < 0.5) return { ...cancel, killAfterMs: cancelAfterMs + random() * 60 };
    // From outside it may come before the run, and then it is not this one that ends.
    return cancel.cancelBy === 'outside'
      ? { ...cancel, killAfterMs: cancelAfterMs + FAULT_PATIENCE_MS }
      : cancel;
  }

  /** The process ended itself there. */
  noteStruck(point: FaultPoint): void {
    this.struck.set(point, (this.struck.get(point) ?? 0) + 1);
    const place = this.#pending.indexOf(point);
    if (place >= 0) this.#pending.splice(place, 1);
  }

  #pick(): FaultPoint {
    const next = this.#pending.shift();
    if (next === undefined)
      return FAULT_POINTS[Math.floor(this.#random() * FAULT_POINTS.length)] ?? 'call-committed';
    // At the end of the line until it has struck.
    this.#pending.push(next);
    return next;
  }

  #atFault(point: FaultPoint): LifePlan {
    const count = 1 + Math.floor(this.#random() * (this.#isBrief ? 1 : (MOST_COUNTS[point] ?? 1)));
    const plan: LifePlan = { fault: { point, count }, killAfterMs: FAULT_PATIENCE_MS };
    // A run that is in the middle of its work ends only when it is told to.
    const needsEnd = point === 'finish-before-commit' || point === 'finish-committed';
    const isHelped = needsEnd || (point.startsWith('interrupt') && this.#random() < 0.5);
    return isHelped ? { ...plan, cancelAfterMs: 300 + this.#random() * 1_500 } : plan;
  }
}

export function describePlan({ fault, killAfterMs, cancelAfterMs, cancelBy = 'inside' }: LifePlan): string {
  const words = [
    ...(cancelAfterMs === undefined
      ? []
      : [
          `${cancelBy === 'stop' ? 'stop' : `cancel from ${cancelBy}`} after ${Math.round(cancelAfterMs)} ms`,
        ]),
    ...(fault === undefined ? [] : [`kill at ${fault.point}:${fault.count}`]),
    ...(killAfterMs === undefined ? [] : [`kill after ${Math.round(killAfterMs)} ms`]),
  ];
  return words.join(', ') || 'unharmed';
}
