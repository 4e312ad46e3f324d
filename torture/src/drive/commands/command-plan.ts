import type { Random } from '@longhaul/scripted-model';
import {
  FILES_FAULT_POINTS,
  type FilesPoint,
  PROGRAM_POINTS,
  type ProgramPoint,
} from '@longhaul/testing/fault-points';
import { COMMAND_KINDS, type CommandKind, REVERTS } from '../../records/lines.ts';
import { shuffled } from '../../shuffled.ts';

export type CommandPoint = ProgramPoint | FilesPoint;

export interface CommandPlan {
  kind: CommandKind;
  /** Point at which the process kills itself. */
  fault?: { point: CommandPoint; count: number };
  /** Time after which it is killed from outside. Applies in addition. Undefined: it is not killed. */
  killAfterMs?: number;
}

/** A command that does not reach its fault point within this time is killed anyway. Most end by themselves before. */
const FAULT_PATIENCE_MS = 60_000;
const MOST_COUNT = 9;
/** A revert that goes back a few steps restores several files. */
const MOST_COUNT_OF_REVERT = 5;
/** In a brief test. Most commands pass every point at least once, and few of them more than twice. */
const MOST_COUNT_IN_BRIEF = 2;
const MOST_KILL_MS = 1_500;

/** How a command is killed: at a random time, at any point, or at this point. */
type Way = 'moment' | 'point' | CommandPoint;

/** Points in the middle of a revert. Only these commands pass the last two. */
const POINTS_OF_REVERTS: readonly FilesPoint[] = [
  'files-file-read',
  'files-entry-checked',
  'files-entry-restored',
];

/** Plans commands and how they end. Shared by all sessions of a run. */
export class CommandPlanner {
  readonly #random: Random;
  readonly #isBrief: boolean;
  /** Kinds with ways in which none of them has been killed yet. */
  #pending: { kind: CommandKind; way: Way }[];
  /** Number of commands that killed themselves at each point. */
  readonly struck = new Map<string, number>();
  readonly figures = new Map(COMMAND_KINDS.map((kind) => [kind, { started: 0, killed: 0 }]));

  /** @param options.isBrief Kills commands at the first passings of a point. */
  constructor(random: Random, { isBrief }: { isBrief: boolean }) {
    this.#random = random;
    this.#isBrief = isBrief;
    const ways = COMMAND_KINDS.flatMap((kind) => waysOf(kind).map((way) => ({ kind, way })));
    this.#pending = shuffled(ways, random);
  }

  /** Whether commands of every kind were killed at a random time and at a point, and reverts in their middle. */
  get isDone(): boolean {
    return this.#pending.length === 0;
  }

  next(): CommandPlan {
    const random = this.#random;
    const kind = COMMAND_KINDS[Math.floor(random() * COMMAND_KINDS.length)] ?? 'gc';
    if (random() < 0.2) return this.of(kind);
    const next = this.#pending.shift();
    if (next === undefined) return this.of(kind);
    // It stays until it was killed in this way, but does not keep the others waiting.
    this.#pending.push(next);
    if (next.way === 'moment') return this.#atMoment(next.kind);
    return next.way === 'point' ? this.#atAnyPoint(next.kind) : this.#atPoint(next.kind, next.way);
  }

  /** Returns a plan for a command of this kind. */
  of(kind: CommandKind): CommandPlan {
    const random = this.#random;
    if (random() < 0.3) return { kind };
    return random() < 0.5 ? this.#atMoment(kind) : this.#atAnyPoint(kind);
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
    if (diedAt !== undefined) this.struck.set(diedAt, (this.struck.get(diedAt) ?? 0) + 1);
    const ways = diedAt === undefined ? ['moment'] : ['point', diedAt];
    this.#pending = this.#pending.filter((one) => one.kind !== kind || !ways.includes(one.way));
  }

  #atMoment(kind: CommandKind): CommandPlan {
    return { kind, killAfterMs: this.#random() * MOST_KILL_MS };
  }

  #atAnyPoint(kind: CommandKind): CommandPlan {
    const points = pointsOf(kind);
    return this.#atPoint(kind, points[Math.floor(this.#random() * points.length)] ?? 'commit-before');
  }

  #atPoint(kind: CommandKind, point: CommandPoint): CommandPlan {
    const usual = isRevert(kind) ? MOST_COUNT_OF_REVERT : MOST_COUNT;
    const most = this.#isBrief ? MOST_COUNT_IN_BRIEF : usual;
    const count = 1 + Math.floor(this.#random() * most);
    return { kind, fault: { point, count }, killAfterMs: FAULT_PATIENCE_MS };
  }
}

export function isRevert(kind: CommandKind): boolean {
  return REVERTS.includes(kind);
}

/** Whether the command needs recorded files. */
export function needsFiles(kind: CommandKind): boolean {
  return isRevert(kind) || kind === 'fork-files';
}

export function namesMessage(kind: CommandKind): boolean {
  return needsFiles(kind) && kind !== 'unrevert';
}

function waysOf(kind: CommandKind): Way[] {
  return ['moment', 'point', ...(kind === 'revert' || kind === 'unrevert' ? POINTS_OF_REVERTS : [])];
}

function pointsOf(kind: CommandKind): readonly CommandPoint[] {
  if (kind === 'import' || kind === 'gc' || kind === 'fork-files') return PROGRAM_POINTS;
  const commits = PROGRAM_POINTS.filter((point) => !point.startsWith('file'));
  const restoresFiles = isRevert(kind) && kind !== 'revert-conversation';
  return restoresFiles ? [...commits, ...FILES_FAULT_POINTS] : commits;
}

export function describeCommand({ kind, fault, killAfterMs }: CommandPlan): string {
  if (fault !== undefined) return `${kind}, kill at ${fault.point}:${fault.count}`;
  return killAfterMs === undefined ? kind : `${kind}, kill after ${Math.round(killAfterMs)} ms`;
}
