import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@longhaul/scripted-model';
import { MODEL, STALL_MS, WINDOW_TOKENS } from '../../agent/settings.ts';
import { type Defect, defect } from '../../checks/defect.ts';
import { writeImportFile } from '../../records/import-file.ts';
import { type CommandKind, type CommandLine, openLines } from '../../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../../records/paths.ts';
import { ageSessions, listRests } from '../../records/store-census.ts';
import type { KillBudget } from '../kill-budget.ts';
import type { LeaseClock } from '../lease-clock.ts';
import type { SessionClock } from '../session-clock.ts';
import { CommandCensus } from './command-census.ts';
import { type CommandPlan, type CommandPlanner, namesMessage, needsFiles } from './command-plan.ts';
import { runCommand } from './run-command.ts';

export interface SessionCommandsOptions {
  folder: string;
  sessionId: string;
  planner: CommandPlanner;
  random: Random;
  isBrief: boolean;
  kills: KillBudget;
  clock: SessionClock;
  leases: LeaseClock;
  onCommand: (line: CommandLine, defects: readonly Defect[]) => void;
}

/** Longest pause between two commands, which take most of a processor. */
const MOST_PAUSE_MS = 6_000;
/** In a brief test, until every command was killed in every way. */
const MOST_PAUSE_IN_BRIEF_MS = 1_500;
/** No writer needs longer from storing a blob to storing its reference. */
const BLOB_SETTLED_MS = 10_000;

/** Runs commands of the program beside the lives of a session, kills them, and checks what each has left. */
export class SessionCommands {
  readonly #options: SessionCommandsOptions;
  readonly #paths: SessionPaths;
  readonly #census: CommandCensus;
  readonly defects: Defect[] = [];
  kills = 0;
  #started = 0;

  constructor(options: SessionCommandsOptions) {
    this.#options = options;
    this.#paths = sessionPaths(options.folder);
    this.#census = new CommandCensus(this.#paths, options.sessionId);
  }

  /** Runs commands until `isOver` returns true. */
  async run(baseUrl: string, isOver: () => boolean): Promise<void> {
    this.#configure(baseUrl);
    const { random, isBrief, planner } = this.#options;
    while (!isOver()) {
      await sleep(random() * (isBrief && !planner.isDone ? MOST_PAUSE_IN_BRIEF_MS : MOST_PAUSE_MS));
      if (!isOver() && this.#census.hasSession()) await this.#round();
    }
  }

  /** Removes all that the commands have created, and checks that nothing is left of it. */
  async finish(): Promise<void> {
    this.#age(() => true);
    await this.#run([{ kind: 'gc' }]);
    for (const rest of listRests(this.#paths.database))
      this.#note([defect('corruption', `a garbage collection has left ${rest}`)]);
  }

  /** Runs a command. A garbage collection may run beside an import that stores the pictures that it removes. */
  async #round(): Promise<void> {
    const { planner, random, kills } = this.#options;
    const first = planner.next();
    if (needsFiles(first.kind) && !this.#census.hasFiles()) return;
    const plans = first.kind === 'gc' && random() < 0.5 ? [first, planner.of('import')] : [first];
    if (first.kind === 'gc') this.#age(() => random() < 0.7);
    const affordable = plans.map((plan) => (mayKill(plan) && !kills.take() ? { kind: plan.kind } : plan));
    const lines = await this.#run(affordable);
    for (const [index, plan] of affordable.entries())
      if (mayKill(plan) && lines[index]?.end !== 'killed') kills.giveBack();
  }

  async #run(plans: readonly CommandPlan[]): Promise<CommandLine[]> {
    const { planner, onCommand } = this.#options;
    const lines = await Promise.all(plans.map((plan) => this.#start(plan)));
    const found = [...this.#census.take(lines), ...(await this.#census.takeCopies(lines))];
    this.#census.noteUnfinished();
    using records = openLines<CommandLine>(this.#paths.commands);
    for (const [index, line] of lines.entries()) {
      records.write(line);
      planner.note(line);
      if (line.end === 'killed') this.kills += 1;
      const { complaint } = line;
      const failed =
        complaint === undefined
          ? []
          : [defect('corruption', `the command ${line.plan} failed: ${complaint}`)];
      const defects = index === 0 ? [...failed, ...found] : failed;
      this.#note(defects);
      onCommand(line, defects);
    }
    return lines;
  }

  async #start(plan: CommandPlan): Promise<CommandLine> {
    const { folder, clock, leases } = this.#options;
    this.#started += 1;
    const number = this.#started;
    if (plan.kind === 'import') writeImportFile(this.#paths.importFile(number), number);
    // Files get the times of the kernel, whose clock is true. What compares them with the clock needs the true one too.
    const ofClock = plan.kind === 'compact' ? clock.environment : {};
    const ahead = leases.aheadMs;
    const message = namesMessage(plan.kind) ? this.#census.anyMessage(this.#options.random()) : undefined;
    const settings = { folder, number, args: this.#argumentsOf(plan.kind, number, message) };
    const { error, ...made } = await runCommand(settings, plan, { ...ofClock, ...leases.environment });
    const line = { ...made, message };
    // Its lease has expired if the uptime was moved during the command.
    const mayLose = leases.aheadMs > ahead && error === 'lease_lost';
    return mayLose ? { ...line, complaint: undefined } : line;
  }

  /** @param message The message that the arguments name, if the command needs one. */
  #argumentsOf(kind: CommandKind, number: number, message = 0): string[] {
    const { sessionId, clock } = this.#options;
    const fork = ['fork', sessionId, '--title', `fork-${number}`, '--json'];
    const revert = ['revert', sessionId, `m${message}`, '--force', '--json'];
    switch (kind) {
      case 'import':
        return ['import', this.#paths.importFile(number), '--json'];
      case 'fork':
        return fork;
      case 'fork-files':
        return [...fork, '--at', `m${message}`, '--files', this.#paths.copy(number)];
      case 'compact':
        return ['compact', sessionId, '--json'];
      case 'revert':
        return revert;
      case 'revert-files':
        return [...revert, '--files'];
      case 'revert-conversation':
        return [...revert, '--conversation'];
      case 'unrevert':
        return ['unrevert', sessionId, '--force', '--json'];
      case 'gc':
        // With a size limit it would remove the living session too, if it could. It may, if that looks unused for long.
        return [
          'gc',
          ...(clock.wasBehind ? ['--older-than', '100d'] : ['--max-size', '1']),
          '--yes',
          '--json',
        ];
    }
  }

  /** Makes the created sessions that `isChosen` picks, and all settled blobs, look old. */
  #age(isChosen: () => boolean): void {
    ageSessions(this.#paths.database, this.#census.age(isChosen));
    const { blobs } = this.#paths;
    // The first output that is too long for its part creates the folder.
    if (!existsSync(blobs)) return;
    for (const name of readdirSync(blobs, { recursive: true, encoding: 'utf8' })) {
      const path = join(blobs, name);
      const info = statSync(path, { throwIfNoEntry: false });
      if (info?.isFile() !== true || Date.now() - info.mtimeMs < BLOB_SETTLED_MS) continue;
      const old = new Date(Date.now() - 48 * 3_600_000);
      utimesSync(path, old, old);
    }
  }

  #configure(baseUrl: string): void {
    const { configuration, database } = this.#paths;
    const provider = {
      kind: 'openai-compatible',
      baseUrl,
      apiKey: 'none',
      models: { [MODEL]: { window: WINDOW_TOKENS, maxOutput: 4_096 } },
    };
    const config = {
      model: `${MODEL}/${MODEL}`,
      storage: { url: `sqlite:${database}` },
      providers: { [MODEL]: provider },
      retry: { stallMs: STALL_MS },
    };
    mkdirSync(join(configuration, 'longhaul'), { recursive: true });
    // JSON is YAML.
    writeFileSync(join(configuration, 'longhaul', 'longhaul.yml'), JSON.stringify(config));
  }

  #note(defects: readonly Defect[]): void {
    this.defects.push(...defects);
  }
}

function mayKill({ fault, killAfterMs }: CommandPlan): boolean {
  return fault !== undefined || killAfterMs !== undefined;
}
