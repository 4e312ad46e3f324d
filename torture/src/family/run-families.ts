import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@longhaul/scripted-model';
import type { FaultPoint } from '@longhaul/testing/fault-points';
import type { Defect } from '../checks/defect.ts';
import { createKillBudget } from '../drive/kill-budget.ts';
import { LifePlanner } from '../drive/life-planner.ts';
import type { LifeOutcome } from '../drive/run-life.ts';
import type { FamilyFigures } from './check-family.ts';
import { FAMILY_POINTS, tortureFamily } from './torture-family.ts';

export interface FamiliesOptions {
  /** Total kills of all families. */
  kills: number;
  seed: number;
  /** After this many minutes no more kills are planned. */
  minutes?: number | undefined;
  /** Number of families at the same time. */
  sessions: number;
  /** Strikes each fault point at its first passing, and stops early once all have struck. Default: false. */
  isBrief?: boolean;
  onLife?: (family: string, outcome: LifeOutcome, defects: readonly Defect[]) => void;
}

export interface FamiliesResult {
  kills: number;
  lives: number;
  defects: Defect[];
  completed: boolean;
  figures: FamilyFigures;
  struck: ReadonlyMap<FaultPoint, number>;
  /** Folder of the records. Set only if there are defects or an incomplete family; otherwise it is removed. */
  folder?: string;
}

/** Drives families through the kills and checks what is stored. */
export async function runFamilies(options: FamiliesOptions): Promise<FamiliesResult> {
  const { seed, kills, sessions, minutes = Number.POSITIVE_INFINITY, isBrief = false, onLife } = options;
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-families-'));
  const random = seededRandom(seed);
  const planner = new LifePlanner(random, { isBrief, setsClock: false, points: FAMILY_POINTS, stops: false });
  const deadline = performance.now() + minutes * 60_000;
  const haveAllStruck = () => FAMILY_POINTS.every((point) => planner.struck.has(point));
  const budget = createKillBudget(kills, () => performance.now() < deadline && !(isBrief && haveAllStruck()));
  const outcomes = await Promise.all(
    Array.from({ length: sessions }, (_, index) => {
      const name = `family-${index + 1}`;
      return tortureFamily({
        folder: join(folder, name),
        name,
        seed: seed * 100 + index,
        planner,
        kills: budget,
        onLife: (outcome, defects) => onLife?.(name, outcome, defects),
      });
    }),
  );
  const sum = (key: keyof FamilyFigures) => outcomes.reduce((total, { figures }) => total + figures[key], 0);
  const result = {
    kills: outcomes.reduce((total, outcome) => total + outcome.kills, 0),
    lives: outcomes.reduce((total, { lives }) => total + lives, 0),
    defects: outcomes.flatMap(({ defects }) => defects),
    completed: outcomes.every(({ completed }) => completed),
    figures: {
      children: sum('children'),
      delivered: sum('delivered'),
      effects: sum('effects'),
      cancelled: sum('cancelled'),
    },
    struck: planner.struck,
  };
  if (result.defects.length > 0 || !result.completed) return { ...result, folder };
  await rm(folder, { recursive: true, force: true });
  return result;
}
