import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxKind } from '@longhaul/core';
import { createSandboxDriver } from '@longhaul/sandbox';
import { seededRandom } from '@longhaul/scripted-model';
import type { FaultPoint } from '@longhaul/testing/fault-points';
import type { SessionFigures } from './checks/check-session.ts';
import type { Defect } from './checks/defect.ts';
import { CommandPlanner } from './drive/commands/command-plan.ts';
import { createKillBudget } from './drive/kill-budget.ts';
import { LifePlanner } from './drive/life-planner.ts';
import type { LifeOutcome } from './drive/run-life.ts';
import { SessionClock } from './drive/session-clock.ts';
import { type SessionOutcome, tortureSession } from './drive/torture-session.ts';
import type { CommandKind, CommandLine } from './records/lines.ts';

export interface TortureOptions {
  /** Total kills of all sessions, including the two kills at the end of each. */
  kills: number;
  seed: number;
  /** After this many minutes no more kills are planned, except those at the end of each session. */
  minutes?: number | undefined;
  /** Number of concurrent sessions. */
  sessions: number;
  /**
   * Strikes each fault point at its first passing and stops early once all have struck and commands were killed in every
   * way. Default: false.
   */
  isBrief?: boolean;
  onLife?: (session: string, outcome: LifeOutcome, defects: readonly Defect[]) => void;
  onCommand?: (session: string, line: CommandLine, defects: readonly Defect[]) => void;
}

export interface TortureResult {
  kills: number;
  lives: number;
  defects: Defect[];
  completed: boolean;
  figures: SessionFigures;
  /** Number of times that a session's clock was set. Undefined if there is no libfaketime. */
  clockSteps: number | undefined;
  /** Number of processes that lost their session while they were stopped. */
  frozen: number;
  /** Number of processes that called the model, by their client. */
  clients: ReadonlyMap<string, number>;
  /** Number of times that a process killed itself at each point. */
  struck: ReadonlyMap<FaultPoint, number>;
  /** Number of commands of each kind that ran beside the sessions, and how many of them were killed. */
  commands: ReadonlyMap<CommandKind, { started: number; killed: number }>;
  /** Number of commands that killed themselves at each point. */
  commandPoints: ReadonlyMap<string, number>;
  /** Folder of the records. Set only if there are defects or an incomplete session; otherwise it is removed. */
  folder?: string;
}

/** Each session is killed twice at its end. */
const KILLS_AT_THE_END = 2;

/** Drives sessions through the kills and checks the results against independent records. */
export async function runTorture(options: TortureOptions): Promise<TortureResult> {
  const {
    sessions,
    seed,
    kills,
    minutes = Number.POSITIVE_INFINITY,
    isBrief = false,
    onLife,
    onCommand,
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-torture-'));
  const planner = new LifePlanner(seededRandom(seed), { isBrief, setsClock: SessionClock.isSettable });
  const commandPlanner = new CommandPlanner(seededRandom(seed + 1), { isBrief });
  const deadline = performance.now() + minutes * 60_000;
  const budget = createKillBudget(
    kills - KILLS_AT_THE_END * sessions,
    () => performance.now() < deadline && !(isBrief && planner.isDone && commandPlanner.isDone),
  );
  const sandboxes = await workingSandboxes();
  const outcomes = await Promise.all(
    Array.from({ length: sessions }, (_, index) => {
      const name = `session-${index + 1}`;
      return tortureSession({
        folder: join(folder, name),
        name,
        seed: seed * 100 + index,
        sandbox: sandboxes[index % sandboxes.length] ?? 'local',
        planner,
        commandPlanner,
        random: seededRandom(seed * 100 + index),
        isBrief,
        kills: budget,
        onCommand: (line, defects) => onCommand?.(name, line, defects),
        onLife: (outcome, defects) => onLife?.(name, outcome, defects),
      });
    }),
  );
  const result = {
    ...sumOf(outcomes),
    clients: planner.clients,
    struck: planner.struck,
    commands: commandPlanner.figures,
    commandPoints: commandPlanner.struck,
  };
  if (result.defects.length > 0 || !result.completed) return { ...result, folder };
  await rm(folder, { recursive: true, force: true });
  return result;
}

async function workingSandboxes(): Promise<SandboxKind[]> {
  const { available } = await createSandboxDriver('bubblewrap').probe();
  return available ? ['local', 'bubblewrap'] : ['local'];
}

function sumOf(
  outcomes: readonly SessionOutcome[],
): Omit<TortureResult, 'clients' | 'struck' | 'commands' | 'commandPoints' | 'folder'> {
  const figures = outcomes.map((outcome) => outcome.figures);
  const sum = (key: keyof SessionFigures) => figures.reduce((total, one) => total + one[key], 0);
  const most = (key: keyof SessionFigures) => Math.max(0, ...figures.map((one) => one[key]));
  return {
    kills: outcomes.reduce((total, { kills }) => total + kills, 0),
    lives: outcomes.reduce((total, { lives }) => total + lives, 0),
    defects: outcomes.flatMap(({ defects }) => defects),
    completed: outcomes.every(({ completed }) => completed),
    clockSteps: SessionClock.isSettable
      ? outcomes.reduce((total, { clockSteps }) => total + clockSteps, 0)
      : undefined,
    frozen: outcomes.reduce((total, { frozen }) => total + frozen, 0),
    figures: {
      messages: sum('messages'),
      requests: sum('requests'),
      faults: sum('faults'),
      effects: sum('effects'),
      compactions: sum('compactions'),
      branches: sum('branches'),
      prunes: sum('prunes'),
      delivered: sum('delivered'),
      mostLostBytes: most('mostLostBytes'),
      mostLostMs: most('mostLostMs'),
    },
  };
}
