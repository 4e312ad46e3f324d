import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxKind } from '@longhaul/core';
import {
  type Random,
  type ScriptedModelProcess,
  seededRandom,
  startScriptedModelProcess,
} from '@longhaul/scripted-model';
import { clientRotation } from '../agent/model-client.ts';
import { MODEL, WINDOW_TOKENS } from '../agent/settings.ts';
import { checkFiles } from '../checks/check-files.ts';
import { checkSession, type SessionFigures } from '../checks/check-session.ts';
import type { Defect } from '../checks/defect.ts';
import { defect } from '../checks/defect.ts';
import { FINAL } from '../model/plan.ts';
import type { CommandLine } from '../records/lines.ts';
import { type SessionPaths, sessionPaths, UNRECORDED_FILES } from '../records/paths.ts';
import type { CommandPlanner } from './commands/command-plan.ts';
import { SessionCommands } from './commands/session-commands.ts';
import type { KillBudget } from './kill-budget.ts';
import { LeaseClock } from './lease-clock.ts';
import { findLeftovers } from './leftovers.ts';
import { UNHARMED } from './life-plan.ts';
import type { LifePlanner } from './life-planner.ts';
import type { LifeOutcome } from './run-life.ts';
import { Sender } from './sender.ts';
import { SessionClock } from './session-clock.ts';
import { SessionInspector } from './session-inspector.ts';
import { SessionLives } from './session-lives.ts';

export interface TortureSessionOptions {
  folder: string;
  /** The session's id and its name in the records. */
  name: string;
  seed: number;
  sandbox: SandboxKind;
  planner: LifePlanner;
  commandPlanner: CommandPlanner;
  random: Random;
  /** Runs the commands in quick succession. */
  isBrief: boolean;
  /** Remaining kills. A kill is taken before each life and given back if the life was not killed. */
  kills: KillBudget;
  onCommand: (line: CommandLine, defects: readonly Defect[]) => void;
  onLife: (outcome: LifeOutcome, defects: readonly Defect[]) => void;
}

export interface SessionOutcome {
  kills: number;
  lives: number;
  defects: Defect[];
  completed: boolean;
  figures: SessionFigures;
  /** Number of times that its clock was set. */
  clockSteps: number;
  /** Number of processes that lost the session while they were stopped. */
  frozen: number;
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
  readonly #inspector: SessionInspector;
  readonly #clock: SessionClock;
  readonly #lives: SessionLives;
  readonly #commands: SessionCommands;

  constructor(options: TortureSessionOptions) {
    this.#options = options;
    this.#paths = sessionPaths(options.folder);
    const { folder, name, seed, sandbox, planner, onLife } = options;
    this.#makeFolders();
    this.#inspector = new SessionInspector(this.#paths, name);
    const clock = new SessionClock(this.#paths.clock);
    this.#clock = clock;
    const leases = new LeaseClock();
    this.#sender = new Sender({ folder, sessionId: name, seed, meanMs: 1_500 }, () => ({
      ...clock.environment,
      ...leases.environment,
    }));
    this.#lives = new SessionLives({
      settings: { folder, sessionId: name, sandbox, mark: this.#mark },
      clientOf: clientRotation(seededRandom(seed)),
      planner,
      surroundings: { clock, leases, cancelFromOutside: () => this.#sender.cancel() },
      inspector: this.#inspector,
      onLife,
    });
    this.#commands = new SessionCommands({
      ...options,
      sessionId: name,
      planner: options.commandPlanner,
      clock,
      leases,
    });
  }

  async run(): Promise<SessionOutcome> {
    const { folder, name } = this.#options;
    let completed: boolean;
    {
      await using model = await this.#startModel();
      let isOver = false;
      const commands = this.#commands.run(model.url, () => isOver);
      try {
        await this.#liveAndDie(model.url);
      } finally {
        isOver = true;
        await commands;
      }
      completed = await this.#finishSafely(model.url);
      await this.#commands.finish();
    }
    for (const found of [...this.#lives.defects, ...this.#commands.defects]) this.#note(found);
    const leftovers = await findLeftovers(this.#mark);
    for (const process of leftovers)
      this.#note(defect('corruption', `a command is still running: ${process}`));
    const { defects, figures } = checkSession(folder, name);
    for (const found of [...defects, ...(await checkFiles(this.#paths, name))]) this.#note(found);
    return {
      kills: this.#lives.kills + this.#commands.kills,
      lives: this.#lives.count,
      defects: this.#defects,
      completed,
      figures,
      clockSteps: this.#clock.steps,
      frozen: this.#lives.frozen,
    };
  }

  async #liveAndDie(baseUrl: string): Promise<void> {
    const { kills, planner } = this.#options;
    while (this.#lives.failures < MAX_FAILURES && kills.take()) {
      const { freeze, ...plan } = planner.next();
      const { end } =
        freeze === undefined
          ? await this.#lives.live(baseUrl, plan)
          : await this.#lives.replace(baseUrl, { ...plan, freeze });
      if (end !== 'killed') kills.giveBack();
      await this.#moveSender();
    }
  }

  /** Appears in the arguments of its commands' processes. */
  get #mark(): string {
    return `${process.pid}${this.#options.seed}`;
  }

  #makeFolders(): void {
    const { workspace, queue } = this.#paths;
    for (const folder of [workspace, dirname(queue)]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(workspace, '.gitignore'), UNRECORDED_FILES.map((name) => `/${name}\n`).join(''));
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

  /** Starts the sender once the session exists, and kills it from time to time. */
  async #moveSender(): Promise<void> {
    const { random } = this.#options;
    if (!this.#sender.isRunning) {
      if (this.#inspector.hasSession) await this.#sender.start();
    } else if (random() < 0.1) {
      await this.#sender.kill();
    }
  }

  async #finishSafely(baseUrl: string): Promise<boolean> {
    try {
      return await this.#finish(baseUrl);
    } catch (error) {
      this.#note(defect('corruption', `the session could not be finished: ${error}`));
      await this.#sender.kill();
      return false;
    }
  }

  /** Finishes the session. Kills it only twice more, before and after the last write of the run. */
  async #finish(baseUrl: string): Promise<boolean> {
    await this.#sender.stop();
    await this.#sender.sendOnce();
    writeFileSync(this.#paths.finish, '');
    await this.#lives.live(baseUrl, {
      fault: { point: 'finish-before-commit', count: 1 },
      killAfterMs: 60_000,
    });
    await this.#sender.sendOnce();
    await this.#lives.live(baseUrl, { fault: { point: 'finish-committed', count: 1 }, killAfterMs: 60_000 });
    await this.#sender.sendOnce();
    for (let life = 1; life <= MAX_LAST_LIVES; life += 1) {
      const { report } = await this.#lives.live(baseUrl, UNHARMED);
      if (report?.status === 'completed') return report.text.includes(FINAL);
    }
    return false;
  }

  #note(found: Defect): void {
    this.#defects.push({ ...found, what: `${this.#options.name}: ${found.what}` });
  }
}
