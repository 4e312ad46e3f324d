import type { Random } from '@longhaul/scripted-model';
import { FAULT_POINTS, type FaultPoint } from '@longhaul/testing/fault-points';

/** The planned events for one process that drives a session. */
export interface LifePlan {
  /** Fault point at which the process kills itself. */
  fault?: { point: FaultPoint; count: number };
  /** Time after which the process is killed from outside. Applies in addition to the other events. */
  killAfterMs?: number;
  /** If true, times count from the start of the process, not from the start of its work. */
  isSoon?: boolean;
  /** Time after which its run is cancelled. */
  cancelAfterMs?: number;
  /**
   * `inside`: by the process itself. `outside`: by another process. `stop`: the process is asked to stop, so that the
   * session can be resumed.
   */
  cancelBy?: CancelWay;
}

export type CancelWay = 'inside' | 'outside' | 'stop';

/** A life without faults, kills or cancels. */
export const UNHARMED: LifePlan = {};

const CANCEL_WAYS: readonly CancelWay[] = ['inside', 'outside', 'stop'];

/** A fault point that is not reached within this time is not expected to be reached. */
const FAULT_PATIENCE_MS = 5_000;

/** Maximum count at which a fault strikes, for points that a life passes more than once. Default: 1. */
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

/** Plans random lives: kills at every fault point in turn, and at random times. Shared by all sessions of a run. */
export class LifePlanner {
  readonly #random: Random;
  readonly #isBrief: boolean;
  /** Fault points that have not struck yet. */
  readonly #pending: FaultPoint[];
  readonly struck = new Map<FaultPoint, number>();

  /** @param isBrief Plans mostly fault points, each at its first passing. */
  constructor(random: Random, isBrief = false) {
    this.#random = random;
    this.#isBrief = isBrief;
    const inOrder = FAULT_POINTS.map((point) => ({ point, place: random() }));
    this.#pending = inOrder.toSorted((a, b) => a.place - b.place).map(({ point }) => point);
  }

  get pending(): readonly FaultPoint[] {
    return this.#pending;
  }

  /** Returns the plan of a session's next life. */
  next(): LifePlan {
    const random = this.#random;
    const atPoints = this.#pending.length === 0 ? 0.5 : this.#isBrief ? 0.9 : 0.75;
    if (random() < atPoints) return this.#atFault(this.#pick());
    if (random() < 0.1) return { killAfterMs: random() * 600, isSoon: true };
    // About a third of the kills hit opening, repair and the first request, which take time. The others hit the steps
    // that follow.
    const killAfterMs = random() < 0.35 ? random() * 300 : 200 + random() * 3_000;
    if (random() < 0.75) return { killAfterMs };
    const cancelAfterMs = random() * 2_500;
    const cancel = {
      cancelAfterMs,
      cancelBy: CANCEL_WAYS[Math.floor(random() * CANCEL_WAYS.length)] ?? 'inside',
    };
    if (random() < 0.5) return { ...cancel, killAfterMs: cancelAfterMs + random() * 60 };
    // A cancel from outside may come before the run has started and then does not end this run.
    return cancel.cancelBy === 'outside'
      ? { ...cancel, killAfterMs: cancelAfterMs + FAULT_PATIENCE_MS }
      : cancel;
  }

  /** Records that a process killed itself at the fault point. */
  noteStruck(point: FaultPoint): void {
    this.struck.set(point, (this.struck.get(point) ?? 0) + 1);
    const place = this.#pending.indexOf(point);
    if (place >= 0) this.#pending.splice(place, 1);
  }

  #pick(): FaultPoint {
    const next = this.#pending.shift();
    if (next === undefined)
      return FAULT_POINTS[Math.floor(this.#random() * FAULT_POINTS.length)] ?? 'call-committed';
    // Keeps the point at the end of the list until it has struck.
    this.#pending.push(next);
    return next;
  }

  #atFault(point: FaultPoint): LifePlan {
    const count = 1 + Math.floor(this.#random() * (this.#isBrief ? 1 : (MOST_COUNTS[point] ?? 1)));
    const plan: LifePlan = { fault: { point, count }, killAfterMs: FAULT_PATIENCE_MS };
    // A run with remaining work ends only if it is cancelled.
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
