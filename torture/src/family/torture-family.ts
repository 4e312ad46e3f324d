import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { seededRandom, startScriptedModelProcess } from '@longhaul/scripted-model';
import type { FaultPoint } from '@longhaul/testing/fault-points';
import { clientRotation } from '../agent/model-client.ts';
import { MODEL } from '../agent/settings.ts';
import type { Defect } from '../checks/defect.ts';
import { defect } from '../checks/defect.ts';
import type { KillBudget } from '../drive/kill-budget.ts';
import { LeaseClock } from '../drive/lease-clock.ts';
import { UNHARMED } from '../drive/life-plan.ts';
import { LIFE_POINTS, type LifePlanner } from '../drive/life-planner.ts';
import type { LifeOutcome } from '../drive/run-life.ts';
import { SessionClock } from '../drive/session-clock.ts';
import { SessionInspector } from '../drive/session-inspector.ts';
import { SessionLives } from '../drive/session-lives.ts';
import { sessionPaths } from '../records/paths.ts';
import { checkFamily, type FamilyFigures } from './check-family.ts';
import { FINAL } from './family-plan.ts';
import { readFamily } from './read-family.ts';

/** The points that a family passes: it runs no command, records no file, stores no blob and is never compacted. */
export const FAMILY_POINTS: readonly FaultPoint[] = LIFE_POINTS.filter(
  (point) => !/^(?:files|compaction|process|blob)-/.test(point),
);

export interface TortureFamilyOptions {
  folder: string;
  /** The parent's id and its name in the records. */
  name: string;
  seed: number;
  planner: LifePlanner;
  kills: KillBudget;
  onLife: (outcome: LifeOutcome, defects: readonly Defect[]) => void;
}

export interface FamilyOutcome {
  kills: number;
  lives: number;
  defects: Defect[];
  completed: boolean;
  figures: FamilyFigures;
}

/** A family that fails this often in a row is given up. */
const MAX_FAILURES = 5;
const MAX_LAST_LIVES = 10;

/** Kills a parent and its children until the kills are used up, lets them finish, and checks what is stored. */
export async function tortureFamily(options: TortureFamilyOptions): Promise<FamilyOutcome> {
  const { folder, name, seed, planner, kills, onLife } = options;
  const paths = sessionPaths(folder);
  for (const each of [paths.workspace, dirname(paths.lives), dirname(paths.database)])
    mkdirSync(each, { recursive: true });
  await using model = await startScriptedModelProcess({
    scriptModule: new URL('./family-script.ts', import.meta.url),
    model: MODEL,
    windowTokens: 400_000,
    chunkChars: 20,
    chunkDelayMs: 2,
    randomFaults: { seed, share: 0.08 },
  });
  const lives = new SessionLives({
    settings: { folder, sessionId: name, program: 'family', sandbox: 'local', mark: '' },
    clientOf: clientRotation(seededRandom(seed)),
    planner,
    surroundings: {
      clock: new SessionClock(paths.clock),
      leases: new LeaseClock(),
      cancelFromOutside: async () => false,
    },
    inspector: new SessionInspector(paths, name),
    onLife,
  });
  while (lives.failures < MAX_FAILURES && kills.take()) {
    const { end } = await lives.live(model.url, planner.nextEnd());
    if (end !== 'killed') kills.giveBack();
  }
  writeFileSync(paths.finish, '');
  const completed = await finish(lives, model.url);
  const { defects, figures } = checkFamily(readFamily(paths, name));
  const unfinished = completed
    ? []
    : [defect('lost-message', 'the parent never had the answer of every child')];
  return {
    kills: lives.kills,
    lives: lives.count,
    defects: [...lives.defects, ...unfinished, ...defects].map((found) => ({
      ...found,
      what: `${name}: ${found.what}`,
    })),
    completed,
    figures,
  };
}

async function finish(lives: SessionLives, baseUrl: string): Promise<boolean> {
  for (let life = 1; life <= MAX_LAST_LIVES; life += 1) {
    const { report } = await lives.live(baseUrl, UNHARMED);
    if (report?.status === 'completed' && report.text.includes(FINAL)) return true;
  }
  return false;
}
