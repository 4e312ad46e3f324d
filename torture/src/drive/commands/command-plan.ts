import type { Random } from '@longhaul/scripted-model';
import {
  FILES_FAULT_POINTS,
  type FilesPoint,
  PROGRAM_POINTS,
  type ProgramPoint,
} from '@longhaul/testing/fault-points';
import { shuffled } from '../../shuffled.ts';

/** The commands that run beside the lives of a session, each in its own process. */
export const COMMAND_KINDS = ['import', 'fork', 'compact', 'gc', 'revert', 'unrevert'] as const;

export type CommandKind = (typeof COMMAND_KINDS)[number];

export type CommandPoint = ProgramPoint | FilesPoint;

export interface CommandPlan {
  kind: CommandKind;
  /** Point at which the process kills itself. */
  fault?: { point: CommandPoint; count: number };
  /** Time after which it is killed from outside. Applies in addition. Undefined: it is not killed. */
  killAfterMs?: number;
}

/** A fault point that is not reached within this time is not expected to be reached. */
const FAULT_PATIENCE_MS = 15_000;
const MOST_COUNT = 9;
/** A revert that goes back a few steps restores several files. */
const MOST_COUNT_OF_REVERT = 5;
const MOST_KILL_MS = 1_500;

type Way = 'moment' | 'point';

/** Plans commands and how they end. Shared by all sessions of a run. */
export class CommandPlanner {
  readonly #random: Random;
  /** Kinds with ways in which none of them has been killed yet. */
  readonly #pending: { kind: CommandKind; way: Way }[];
  readonly figures = new Map(COMMAND_KINDS.map((kind) => [kind, { started: 0, killed: 0 }]));

  constructor(random: Random) {
    this.#random = random;
    this.#pending = shuffled(COMMAND_KINDS, random).flatMap((kind) => [
      { kind, way: 'moment' as const },
      { kind, way: 'point' as const },
    ]);
  }

  /** Whether commands of every kind were killed at a random time, and at a point. */
  get isDone(): boolean {
    return this.#pending.length === 0;
  }

  next(): CommandPlan {
    const random = this.#random;
    const [next] = this.#pending;
    const kind = COMMAND_KINDS[Math.floor(random() * COMMAND_KINDS.length)] ?? 'gc';
    if (next === undefined || random() < 0.2) return this.of(kind);
    return next.way === 'moment' ? this.#atMoment(next.kind) : this.#atPoint(next.kind);
  }

  /** Returns a plan for a command of this kind. */
  of(kind: CommandKind): CommandPlan {
    const random = this.#random;
    if (random() < 0.3) return { kind };
    return random() < 0.5 ? this.#atMoment(kind) : this.#atPoint(kind);
  }

  note({
    kind,
    end,
    diedAt,
  }: {
    kind: CommandKind;
    end: 'killed' | 'ended';
    diedAt?: string | undefined;
  }): void {
    const figures = this.figures.get(kind);
    if (figures === undefined) return;
    figures.started += 1;
    if (end !== 'killed') return;
    figures.killed += 1;
    const way = diedAt === undefined ? 'moment' : 'point';
    const place = this.#pending.findIndex((one) => one.kind === kind && one.way === way);
    if (place >= 0) this.#pending.splice(place, 1);
  }

  #atMoment(kind: CommandKind): CommandPlan {
    return { kind, killAfterMs: this.#random() * MOST_KILL_MS };
  }

  #atPoint(kind: CommandKind): CommandPlan {
    const random = this.#random;
    const points = pointsOf(kind);
    const point = points[Math.floor(random() * points.length)] ?? 'commit-before';
    const most = isRevert(kind) ? MOST_COUNT_OF_REVERT : MOST_COUNT;
    const count = 1 + Math.floor(random() * most);
    return { kind, fault: { point, count }, killAfterMs: FAULT_PATIENCE_MS };
  }
}

/** Whether the command restores files of the session that the lives drive. */
export function isRevert(kind: CommandKind): boolean {
  return kind === 'revert' || kind === 'unrevert';
}

function pointsOf(kind: CommandKind): readonly CommandPoint[] {
  if (kind === 'import' || kind === 'gc') return PROGRAM_POINTS;
  const commits = PROGRAM_POINTS.filter((point) => !point.startsWith('file'));
  return isRevert(kind) ? [...commits, ...FILES_FAULT_POINTS] : commits;
}

export function describeCommand({ kind, fault, killAfterMs }: CommandPlan): string {
  if (fault !== undefined) return `${kind}, kill at ${fault.point}:${fault.count}`;
  return killAfterMs === undefined ? kind : `${kind}, kill after ${Math.round(killAfterMs)} ms`;
}
