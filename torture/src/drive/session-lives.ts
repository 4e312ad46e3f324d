import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelClient } from '../agent/model-client.ts';
import type { AgentSettings } from '../agent/settings.ts';
import { type Defect, defect } from '../checks/defect.ts';
import { type LifeLine, openLines, type ReceivedLine, readLines } from '../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../records/paths.ts';
import { freezeLife } from './frozen-life.ts';
import type { FreezePlan, LifePlan } from './life-plan.ts';
import { LIFE_POINTS, type LifePlanner } from './life-planner.ts';
import { type LifeOutcome, type LifeSurroundings, runLife } from './run-life.ts';
import type { SessionInspector } from './session-inspector.ts';

export interface SessionLivesOptions {
  settings: Omit<AgentSettings, 'life' | 'baseUrl' | 'client'>;
  clientOf: (life: number) => ModelClient;
  planner: LifePlanner;
  surroundings: LifeSurroundings;
  inspector: SessionInspector;
  onLife: (outcome: LifeOutcome, defects: readonly Defect[]) => void;
}

/** Processes that may fail to take over a stopped process's session, because they are killed before. */
const MAX_SUCCESSORS = 10;

/** Runs the processes that drive a session, one after the other, and inspects the session after each. */
export class SessionLives {
  readonly #options: SessionLivesOptions;
  readonly #paths: SessionPaths;
  readonly defects: Defect[] = [];
  /** Number of processes so far. */
  count = 0;
  kills = 0;
  /** Number of processes that lost the session while they were stopped. */
  frozen = 0;
  /** Number of consecutive failures. */
  failures = 0;

  constructor(options: SessionLivesOptions) {
    this.#options = options;
    this.#paths = sessionPaths(options.settings.folder);
  }

  /** Runs a process to its end. `baseUrl`: of the model's server. */
  async live(baseUrl: string, plan: LifePlan): Promise<LifeOutcome> {
    const settings = this.#begin(baseUrl, plan);
    const outcome = await runLife(settings, plan, this.#options.surroundings);
    this.failures = outcome.complaint === undefined ? 0 : this.failures + 1;
    return this.#record(outcome);
  }

  /**
   * Stops a process until its lease has expired and another process has taken the session, then continues or kills it.
   *
   * @returns The outcome of the process that took the session.
   */
  async replace(baseUrl: string, plan: LifePlan & { freeze: FreezePlan }): Promise<Pick<LifeOutcome, 'end'>> {
    const { freeze } = plan;
    const { planner, surroundings } = this.#options;
    const frozen = await freezeLife(this.#begin(baseUrl, plan), plan, surroundings);
    if (frozen.leaseExpires === undefined) return this.#record(await frozen.end('kill'));
    planner.noteFrozen(freeze.when);
    this.frozen += 1;
    await surroundings.leases.pass(frozen.leaseExpires, freeze.lease);
    for (let attempt = 1; attempt <= MAX_SUCCESSORS; attempt += 1) {
      const { isTaken, ended } = await this.#succeed(baseUrl);
      if (!isTaken) {
        await ended;
        continue;
      }
      await sleep(freeze.endAfterMs);
      const [, outcome] = await Promise.all([frozen.end(freeze.end).then((end) => this.#record(end)), ended]);
      return outcome;
    }
    this.defects.push(defect('corruption', `no process could take the session from life ${this.count}`));
    return this.#record(await frozen.end('kill'));
  }

  /** Starts a process and waits until its run has begun or it has ended. */
  async #succeed(baseUrl: string): Promise<{ isTaken: boolean; ended: Promise<LifeOutcome> }> {
    let isOver = false;
    const ended = this.live(baseUrl, this.#options.planner.nextEnd()).finally(() => {
      isOver = true;
    });
    const records = this.#paths.received(this.count);
    const hasRun = () => readLines<ReceivedLine>(records).some(({ type }) => type === 'run');
    while (!isOver && !hasRun()) await sleep(10);
    return { isTaken: hasRun(), ended };
  }

  #hasAsked(life: number): boolean {
    return readLines<ReceivedLine>(this.#paths.received(life)).some(({ type }) => type === 'asked');
  }

  #begin(baseUrl: string, { clock }: LifePlan): AgentSettings {
    const { settings, surroundings, clientOf } = this.#options;
    this.count += 1;
    surroundings.clock.beginLife(clock);
    return { ...settings, life: this.count, baseUrl, client: clientOf(this.count) };
  }

  #record(outcome: LifeOutcome): LifeOutcome {
    const { planner, inspector, onLife } = this.#options;
    if (outcome.end === 'killed') this.kills += 1;
    const point = LIFE_POINTS.find((known) => known === outcome.diedAt);
    if (point !== undefined) planner.noteStruck(point);
    const { report: _, diedAt: __, ...line } = outcome;
    using lives = openLines<LifeLine>(this.#paths.lives);
    lives.write(line);
    const { life, complaint } = outcome;
    if (this.#hasAsked(life)) planner.noteAsked(this.#options.clientOf(life));
    const failed = complaint === undefined ? [] : [defect('corruption', `life ${life} failed: ${complaint}`)];
    const found = [...failed, ...inspector.inspect()];
    this.defects.push(...found);
    onLife(outcome, found);
    return outcome;
  }
}
