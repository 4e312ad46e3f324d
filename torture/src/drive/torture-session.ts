import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SandboxKind } from '@longhaul/core';
import { type Random, type ScriptedModelProcess, startScriptedModelProcess } from '@longhaul/scripted-model';
import { FAULT_POINTS } from '@longhaul/testing/fault-points';
import { MODEL, WINDOW_TOKENS } from '../agent/settings.ts';
import { checkBlobs, checkDatabase, checkUnchanged } from '../checks/check-database.ts';
import { checkSession, type SessionFigures } from '../checks/check-session.ts';
import type { Defect } from '../checks/defect.ts';
import { defect } from '../checks/defect.ts';
import { FINAL } from '../model/plan.ts';
import { type LifeLine, openLines } from '../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../records/paths.ts';
import { readDatabase, type StoredSession } from '../records/read-database.ts';
import { findLeftovers } from './leftovers.ts';
import { type LifePlan, type LifePlanner, UNHARMED } from './life-plan.ts';
import { type LifeOutcome, runLife } from './run-life.ts';
import { Sender } from './sender.ts';

export interface TortureSessionOptions {
  folder: string;
  /** The session's id and its name in the records. */
  name: string;
  seed: number;
  sandbox: SandboxKind;
  planner: LifePlanner;
  random: Random;
  /** Remaining kills. A kill is taken before each life and given back if the life was not killed. */
  kills: KillBudget;
  onLife: (outcome: LifeOutcome, defects: readonly Defect[]) => void;
}

export interface KillBudget {
  take(): boolean;
  giveBack(): void;
}

export interface SessionOutcome {
  kills: number;
  lives: number;
  defects: Defect[];
  completed: boolean;
  figures: SessionFigures;
}

/** Stops after this many failed processes in a row, because more of them would show nothing new. */
const MAX_FAILURES = 5;

/** Lives that a session may take to complete without kills. Provider faults may fail a few of them. */
const MAX_LAST_LIVES = 15;

/** Drives one session through its kills to its final answer, then checks it against independent records. */
export async function tortureSession(options: TortureSessionOptions): Promise<SessionOutcome> {
  return new TortureSession(options).run();
}

class TortureSession {
  readonly #options: TortureSessionOptions;
  readonly #paths: SessionPaths;
  readonly #sender: Sender;
  readonly #defects: Defect[] = [];
  #before: StoredSession | undefined;
  #lives = 0;
  #kills = 0;
  /** Number of consecutive failures. */
  #failures = 0;

  constructor(options: TortureSessionOptions) {
    this.#options = options;
    this.#paths = sessionPaths(options.folder);
    const { folder, name, seed } = options;
    this.#sender = new Sender({ folder, sessionId: name, seed, meanMs: 1_500 });
  }

  async run(): Promise<SessionOutcome> {
    const { folder, name } = this.#options;
    this.#makeFolders();
    let completed: boolean;
    {
      await using model = await this.#startModel();
      const { kills, planner } = this.#options;
      while (this.#failures < MAX_FAILURES && kills.take()) {
        const { end } = await this.#live(model, planner.next());
        if (end !== 'killed') kills.giveBack();
        await this.#moveSender();
      }
      completed = await this.#finishSafely(model);
    }
    const leftovers = await findLeftovers(this.#mark);
    for (const process of leftovers)
      this.#note(defect('corruption', `a command is still running: ${process}`));
    const { defects, figures } = checkSession(folder, name);
    for (const found of defects) this.#note(found);
    return { kills: this.#kills, lives: this.#lives, defects: this.#defects, completed, figures };
  }

  /** Appears in the arguments of its commands' processes. */
  get #mark(): string {
    return `${process.pid}${this.#options.seed}`;
  }

  #makeFolders(): void {
    const { workspace, queue } = this.#paths;
    for (const folder of [workspace, dirname(queue)]) mkdirSync(folder, { recursive: true });
  }

  #startModel(): Promise<ScriptedModelProcess> {
    return startScriptedModelProcess({
      scriptModule: new URL('../model/script.ts', import.meta.url),
      model: MODEL,
      windowTokens: WINDOW_TOKENS,
      chunkChars: 40,
      chunkDelayMs: 2,
      journalFile: this.#paths.journal,
      randomFaults: { seed: this.#options.seed, share: 0.12 },
    });
  }

  async #live(model: ScriptedModelProcess, plan: LifePlan): Promise<LifeOutcome> {
    const { folder, name, sandbox, planner, onLife } = this.#options;
    this.#lives += 1;
    const settings = {
      folder,
      sessionId: name,
      life: this.#lives,
      baseUrl: model.url,
      sandbox,
      mark: this.#mark,
    };
    const outcome = await runLife(settings, plan, () => this.#sender.cancel());
    if (outcome.end === 'killed') this.#kills += 1;
    this.#failures = outcome.complaint === undefined ? 0 : this.#failures + 1;
    const point = FAULT_POINTS.find((known) => known === outcome.diedAt);
    if (point !== undefined) planner.noteStruck(point);
    const { report: _, diedAt: __, ...line } = outcome;
    using lives = openLines<LifeLine>(this.#paths.lives);
    lives.write(line);
    const found = this.#inspect(outcome);
    for (const one of found) this.#note(one);
    onLife(outcome, found);
    return outcome;
  }

  /** Checks the stored data right after a process has ended, before the next one starts. */
  #inspect({ complaint, life }: LifeOutcome): Defect[] {
    const failed = complaint === undefined ? [] : [defect('corruption', `life ${life} failed: ${complaint}`)];
    if (!existsSync(this.#paths.database)) return failed;
    try {
      const now = readDatabase(this.#paths.database, this.#options.name);
      const changed = this.#before === undefined ? [] : checkUnchanged(this.#before, now);
      this.#before = now;
      return [...failed, ...changed, ...checkDatabase(now), ...checkBlobs(now, this.#paths.blobs)];
    } catch (error) {
      // A process killed while it creates the tables leaves no tables.
      if (this.#before === undefined && String(error).includes('no such table')) return failed;
      return [...failed, defect('corruption', `the database cannot be read: ${error}`)];
    }
  }

  /** Starts the sender once the session exists, and kills it from time to time. */
  async #moveSender(): Promise<void> {
    const { random } = this.#options;
    if (!this.#sender.isRunning) {
      if ((this.#before?.events.length ?? 0) > 0) await this.#sender.start();
    } else if (random() < 0.1) {
      await this.#sender.kill();
    }
  }

  async #finishSafely(model: ScriptedModelProcess): Promise<boolean> {
    try {
      return await this.#finish(model);
    } catch (error) {
      this.#note(defect('corruption', `the session could not be finished: ${error}`));
      await this.#sender.kill();
      return false;
    }
  }

  /** Finishes the session. Kills it only twice more, before and after the last write of the run. */
  async #finish(model: ScriptedModelProcess): Promise<boolean> {
    await this.#sender.stop();
    await this.#sender.sendOnce();
    writeFileSync(this.#paths.finish, '');
    await this.#live(model, { fault: { point: 'finish-before-commit', count: 1 }, killAfterMs: 60_000 });
    await this.#sender.sendOnce();
    await this.#live(model, { fault: { point: 'finish-committed', count: 1 }, killAfterMs: 60_000 });
    await this.#sender.sendOnce();
    for (let life = 1; life <= MAX_LAST_LIVES; life += 1) {
      const { report } = await this.#live(model, UNHARMED);
      if (report?.status === 'completed') return report.text.includes(FINAL);
    }
    return false;
  }

  #note(found: Defect): void {
    this.#defects.push({ ...found, what: `${this.#options.name}: ${found.what}` });
  }
}
