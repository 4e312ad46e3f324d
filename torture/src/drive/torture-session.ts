import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxKind } from '@longhaul/core';
import { type Random, type ScriptedModelProcess, startScriptedModelProcess } from '@longhaul/scripted-model';
import { FAULT_POINTS } from '@longhaul/testing/fault-points';
import { type AgentSettings, MODEL, WINDOW_TOKENS } from '../agent/settings.ts';
import { checkSession, type SessionFigures } from '../checks/check-session.ts';
import type { Defect } from '../checks/defect.ts';
import { defect } from '../checks/defect.ts';
import { FINAL } from '../model/plan.ts';
import {
  type CommandLine,
  type LifeLine,
  openLines,
  type ReceivedLine,
  readLines,
} from '../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../records/paths.ts';
import type { CommandPlanner } from './commands/command-plan.ts';
import { SessionCommands } from './commands/session-commands.ts';
import { freezeLife } from './frozen-life.ts';
import type { KillBudget } from './kill-budget.ts';
import { LeaseClock } from './lease-clock.ts';
import { findLeftovers } from './leftovers.ts';
import { type FreezePlan, type LifePlan, UNHARMED } from './life-plan.ts';
import type { LifePlanner } from './life-planner.ts';
import { type LifeOutcome, runLife } from './run-life.ts';
import { Sender } from './sender.ts';
import { SessionClock } from './session-clock.ts';
import { SessionInspector } from './session-inspector.ts';

export interface TortureSessionOptions {
  folder: string;
  /** The session's id and its name in the records. */
  name: string;
  seed: number;
  sandbox: SandboxKind;
  planner: LifePlanner;
  commandPlanner: CommandPlanner;
  random: Random;
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

/** Processes that may fail to take over a stopped process's session, because they are killed before. */
const MAX_SUCCESSORS = 10;

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
  readonly #leases = new LeaseClock();
  readonly #commands: SessionCommands;
  #lives = 0;
  #kills = 0;
  #frozen = 0;
  /** Number of consecutive failures. */
  #failures = 0;

  constructor(options: TortureSessionOptions) {
    this.#options = options;
    this.#paths = sessionPaths(options.folder);
    const { folder, name, seed } = options;
    this.#makeFolders();
    this.#inspector = new SessionInspector(this.#paths, name);
    this.#clock = new SessionClock(this.#paths.clock);
    this.#commands = new SessionCommands({
      ...options,
      sessionId: name,
      planner: options.commandPlanner,
      clock: this.#clock,
    });
    this.#sender = new Sender({ folder, sessionId: name, seed, meanMs: 1_500 }, this.#clock);
  }

  async run(): Promise<SessionOutcome> {
    const { folder, name } = this.#options;
    let completed: boolean;
    {
      await using model = await this.#startModel();
      let isOver = false;
      const commands = this.#commands.run(model.url, () => isOver);
      try {
        await this.#liveAndDie(model);
      } finally {
        isOver = true;
        await commands;
      }
      completed = await this.#finishSafely(model);
      await this.#commands.finish();
    }
    for (const found of this.#commands.defects) this.#note(found);
    const leftovers = await findLeftovers(this.#mark);
    for (const process of leftovers)
      this.#note(defect('corruption', `a command is still running: ${process}`));
    const { defects, figures } = checkSession(folder, name);
    for (const found of defects) this.#note(found);
    return {
      kills: this.#kills + this.#commands.kills,
      lives: this.#lives,
      defects: this.#defects,
      completed,
      figures,
      clockSteps: this.#clock.steps,
      frozen: this.#frozen,
    };
  }

  async #liveAndDie(model: ScriptedModelProcess): Promise<void> {
    const { kills, planner } = this.#options;
    while (this.#failures < MAX_FAILURES && kills.take()) {
      const { freeze, ...plan } = planner.next();
      const { end } =
        freeze === undefined
          ? await this.#live(model, plan)
          : await this.#replace(model, { ...plan, freeze });
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
    const settings = this.#begin(model, plan);
    const surroundings = { clock: this.#clock, cancelFromOutside: () => this.#sender.cancel() };
    const outcome = await runLife(settings, plan, surroundings);
    this.#failures = outcome.complaint === undefined ? 0 : this.#failures + 1;
    return this.#record(outcome);
  }

  /**
   * Stops a process until its lease has expired and another process has taken the session, then continues or kills it.
   *
   * @returns The outcome of the process that took the session.
   */
  async #replace(
    model: ScriptedModelProcess,
    plan: LifePlan & { freeze: FreezePlan },
  ): Promise<Pick<LifeOutcome, 'end'>> {
    const { freeze } = plan;
    const frozen = await freezeLife(this.#begin(model, plan), plan, this.#clock);
    if (frozen.leaseExpires === undefined) return this.#record(await frozen.end('kill'));
    this.#options.planner.noteFrozen(freeze.when);
    this.#frozen += 1;
    await this.#leases.pass(frozen.leaseExpires, freeze.lease);
    for (let attempt = 1; attempt <= MAX_SUCCESSORS; attempt += 1) {
      const { isTaken, ended } = await this.#succeed(model);
      if (!isTaken) {
        await ended;
        continue;
      }
      await sleep(freeze.endAfterMs);
      const [, outcome] = await Promise.all([frozen.end(freeze.end).then((end) => this.#record(end)), ended]);
      return outcome;
    }
    this.#note(defect('corruption', `no process could take the session from life ${this.#lives}`));
    return this.#record(await frozen.end('kill'));
  }

  /** Starts a process and waits until its run has begun or it has ended. */
  async #succeed(model: ScriptedModelProcess): Promise<{ isTaken: boolean; ended: Promise<LifeOutcome> }> {
    let isOver = false;
    const ended = this.#live(model, this.#options.planner.nextEnd()).finally(() => {
      isOver = true;
    });
    const records = this.#paths.received(this.#lives);
    const hasRun = () => readLines<ReceivedLine>(records).some(({ type }) => type === 'run');
    while (!isOver && !hasRun()) await sleep(10);
    return { isTaken: hasRun(), ended };
  }

  #begin(model: ScriptedModelProcess, { clock }: LifePlan): AgentSettings {
    const { folder, name, sandbox } = this.#options;
    this.#lives += 1;
    this.#clock.beginLife(clock);
    return {
      folder,
      sessionId: name,
      life: this.#lives,
      baseUrl: model.url,
      sandbox,
      mark: this.#mark,
      uptimeAheadMs: this.#leases.aheadMs,
    };
  }

  #record(outcome: LifeOutcome): LifeOutcome {
    const { planner, onLife } = this.#options;
    if (outcome.end === 'killed') this.#kills += 1;
    const point = FAULT_POINTS.find((known) => known === outcome.diedAt);
    if (point !== undefined) planner.noteStruck(point);
    const { report: _, diedAt: __, ...line } = outcome;
    using lives = openLines<LifeLine>(this.#paths.lives);
    lives.write(line);
    const { life, complaint } = outcome;
    const failed = complaint === undefined ? [] : [defect('corruption', `life ${life} failed: ${complaint}`)];
    const found = [...failed, ...this.#inspector.inspect()];
    for (const one of found) this.#note(one);
    onLife(outcome, found);
    return outcome;
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
