import type { Random } from '@longhaul/scripted-model';
import { FAULT_POINTS, type FaultPoint, FILES_FAULT_POINTS } from '@longhaul/testing/fault-points';
import { describeClient, MODEL_CLIENTS, type ModelClient } from '../agent/model-client.ts';
import { shuffled } from '../shuffled.ts';
import type { CancelWay, ClockStep, FreezePlan, LifePlan } from './life-plan.ts';

const CANCEL_WAYS: readonly CancelWay[] = ['inside', 'outside', 'stop'];

/** A process that does not reach its fault point within this time is killed anyway. */
const FAULT_PATIENCE_MS = 10_000;
/** A brief test needs each point once. So it waits, however busy the machine is, instead of starting another process. */
const BRIEF_PATIENCE_MS = 60_000;

/** Points at which a life is killed. Reverts pass the other points of files. */
export const LIFE_POINTS: readonly FaultPoint[] = [
  ...FAULT_POINTS,
  ...FILES_FAULT_POINTS.filter((point) => !point.startsWith('files-entry')),
];

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
  'files-folder-opened': 6,
  'files-file-read': 2,
  'files-pack-stored': 2,
  'files-tree-stored': 2,
};

/**
 * Points at which a process is stopped. At the others it holds no session yet, or a transaction in which it would lock
 * the database.
 */
const FREEZE_POINTS = FAULT_POINTS.filter(
  (point) => !point.startsWith('enqueue') && point !== 'transaction-open' && point !== 'queue-taking',
);

/** A brief test goes on until this many processes called the model with each client. */
export const LEAST_OF_EACH_CLIENT = 3;

/** Share of the lives that are stopped, and of those whose clock is set. */
const FREEZE_SHARE = 0.06;
const CLOCK_SHARE = 0.4;
const MOST_HOURS = 72;

export interface LifePlannerOptions {
  isBrief: boolean;
  setsClock: boolean;
  points?: readonly FaultPoint[];
  stops?: boolean;
}

/** Plans random lives: kills at every fault point in turn, and at random times. Shared by all sessions of a run. */
export class LifePlanner {
  readonly #random: Random;
  readonly #isBrief: boolean;
  readonly #points: readonly FaultPoint[];
  /** Fault points that have not struck yet. */
  readonly #pending: FaultPoint[];
  readonly struck = new Map<FaultPoint, number>();
  /** Number of processes that called the model, by their client. */
  readonly clients = new Map(MODEL_CLIENTS.map((client) => [describeClient(client), 0]));
  readonly #setsClock: boolean;
  readonly #freezeShare: number;
  /** Moments at which no process has been stopped yet. */
  readonly #pendingFreezes: FreezePlan['when'][] = ['command', 'moment', 'start-committed'];

  /**
   * @param options.isBrief Plans mostly fault points, each at its first passing.
   * @param options.setsClock Whether the clock can be set.
   * @param options.points The points at which lives are killed. Default: all that the life of one session passes.
   * @param options.stops Whether lives are stopped until another process has taken their session. Default: true.
   */
  constructor(
    random: Random,
    { isBrief, setsClock, points = LIFE_POINTS, stops = true }: LifePlannerOptions,
  ) {
    this.#random = random;
    this.#isBrief = isBrief;
    this.#setsClock = setsClock;
    this.#points = points;
    this.#pending = shuffled(points, random);
    this.#freezeShare = stops ? FREEZE_SHARE : 0;
    if (!stops) this.#pendingFreezes.length = 0;
  }

  /** Whether every fault point has struck, a process was stopped in every way, and each client was used often enough. */
  get isDone(): boolean {
    const isEachUsed = [...this.clients.values()].every((count) => count >= LEAST_OF_EACH_CLIENT);
    return this.#pending.length === 0 && this.#pendingFreezes.length === 0 && isEachUsed;
  }

  /** Returns the plan of a session's next life. */
  next(): LifePlan {
    const random = this.#random;
    const isFrozen = random() < (this.#isBrief && this.#pendingFreezes.length > 0 ? 0.2 : this.#freezeShare);
    return { ...(isFrozen ? { freeze: this.#freeze() } : this.nextEnd()), clock: this.#clock() };
  }

  /** Returns the plan of a life that is not stopped, with a true clock. */
  nextEnd(): LifePlan {
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

  /** Records that a process called the model. */
  noteAsked(client: ModelClient): void {
    const name = describeClient(client);
    this.clients.set(name, (this.clients.get(name) ?? 0) + 1);
  }

  /** Records that a process was stopped while it held its session. */
  noteFrozen(when: FreezePlan['when']): void {
    const place = this.#pendingFreezes.indexOf(when);
    if (place >= 0) this.#pendingFreezes.splice(place, 1);
  }

  #clock(): ClockStep[] {
    const random = this.#random;
    if (!this.#setsClock || random() >= CLOCK_SHARE) return [];
    const hours = () => Math.round((random() * 2 - 1) * MOST_HOURS);
    const first = { afterMs: 0, hours: hours() };
    return random() < 0.5 ? [first] : [first, { afterMs: random() * 2_000, hours: hours() }];
  }

  #freeze(): FreezePlan {
    const random = this.#random;
    const anyPoint = FREEZE_POINTS[Math.floor(random() * FREEZE_POINTS.length)] ?? 'start-committed';
    const others = ['command', 'moment', anyPoint] as const;
    const when = this.#pendingFreezes[0] ?? others[Math.floor(random() * others.length)] ?? 'moment';
    return {
      when,
      afterMs: 200 + random() * 2_000,
      lease: !this.#isBrief && random() < 0.25 ? 'passed' : 'moved',
      end: random() < 0.75 ? 'thaw' : 'kill',
      endAfterMs: random() * 1_500,
    };
  }

  #pick(): FaultPoint {
    const next = this.#pending.shift();
    if (next === undefined)
      return this.#points[Math.floor(this.#random() * this.#points.length)] ?? 'call-committed';
    // Keeps the point at the end of the list until it has struck.
    this.#pending.push(next);
    return next;
  }

  #atFault(point: FaultPoint): LifePlan {
    const count = 1 + Math.floor(this.#random() * (this.#isBrief ? 1 : (MOST_COUNTS[point] ?? 1)));
    const killAfterMs = this.#isBrief ? BRIEF_PATIENCE_MS : FAULT_PATIENCE_MS;
    const plan: LifePlan = { fault: { point, count }, killAfterMs };
    // A run with remaining work ends only if it is cancelled.
    const needsEnd = point === 'finish-before-commit' || point === 'finish-committed';
    const interrupts = point.startsWith('interrupt');
    // Without it, a part is interrupted only by the repair after a kill, which most lives do not need.
    if (interrupts && this.#isBrief) return { ...plan, cancelsFirstTool: true };
    const isHelped = needsEnd || (interrupts && this.#random() < 0.5);
    return isHelped ? { ...plan, cancelAfterMs: 300 + this.#random() * 1_500 } : plan;
  }
}
