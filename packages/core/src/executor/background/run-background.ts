import { type EventPayload, LonghaulError } from '@longhaul/protocol';
import type { BackgroundCommand, BackgroundCommands, StartBackground } from '../../ports/background.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { BegunCommand } from '../../session/begun-commands.ts';
import { cutLine } from '../../tool-output/display.ts';
import { RunningCommand } from './running-command.ts';

/** More at the same time are a mistake, such as a loop that starts servers. */
const MAX_RUNNING = 16;
const SHOWN_CHARS = 200;

export interface RunBackgroundOptions {
  sandbox: Pick<Sandbox, 'start' | 'kind' | 'kept'>;
  /** Commands that earlier runs have kept. They count as commands of this run. */
  kept?: readonly RunningCommand[];
  /** Commands whose end was not reported to the model. */
  begun: readonly BegunCommand[];
  /** Stores them, for the next run. */
  save: (begun: readonly BegunCommand[]) => Promise<void>;
  /** Stores that the kept command with this mark has ended. */
  recordEnd?: (keptMark: string) => Promise<void>;
  announce?: (event: EventPayload) => Promise<unknown>;
}

/** The background commands of one run. The sandbox ends them when it is disposed at the end of the run, except for kept ones. */
export class RunBackground implements BackgroundCommands {
  readonly #options: RunBackgroundOptions;
  readonly #commands: RunningCommand[];
  /** Commands of earlier runs, which have ended with their run. */
  #earlier: readonly BegunCommand[];
  /** The handles that are stored. */
  #stored: string;
  #starting = 0;
  readonly #recorded = new Set<string>();
  readonly #announced = new Set<string>();

  constructor(options: RunBackgroundOptions) {
    this.#options = options;
    const { begun, kept = [] } = options;
    this.#commands = [...kept];
    this.#earlier = begun.filter(({ handle }) => !kept.some((each) => each.handle === handle));
    this.#stored = handlesOf(begun);
  }

  async start(command: string, { handle, cwd, keep }: StartBackground): Promise<BackgroundCommand> {
    const running = this.#commands.filter(({ end }) => end === undefined).length + this.#starting;
    if (running >= MAX_RUNNING) {
      throw new LonghaulError(
        'invalid_request',
        `${running} background commands run, and no more can. End one with process {action: "kill"}.`,
      );
    }
    this.#starting += 1;
    try {
      const { sandbox } = this.#options;
      const started = await RunningCommand.start({ command, handle, cwd, sandbox, keep });
      this.#commands.push(started);
      await this.#save();
      const shown = { handle, command: cutLine(command, SHOWN_CHARS) };
      await this.#options.announce?.({ type: 'process:started', ...shown, ...(keep && { isKept: true }) });
      return started;
    } finally {
      this.#starting -= 1;
    }
  }

  list(): readonly BackgroundCommand[] {
    return this.#commands;
  }

  /** Returns the ends that the model does not know, each once. Call it before each request. */
  takeNews(): { earlier: readonly BegunCommand[]; ended: readonly BackgroundCommand[] } {
    const earlier = this.#earlier;
    const ended = this.#commands.filter(({ hasNews }) => hasNews);
    this.#earlier = [];
    for (const command of ended) command.endReported();
    return { earlier, ended };
  }

  /** Call it when the ends that were reported are in the log. */
  async newsStored(): Promise<void> {
    // Begins to save at once: the caller stores its note in the same tick.
    await this.#save();
    await this.#recordEnds();
    await this.#announceEnds();
  }

  /** A kept command that has ended need not be looked for. */
  async #recordEnds(): Promise<void> {
    for (const { end, keptMark } of this.#commands) {
      if (end === undefined || keptMark === undefined || this.#recorded.has(keptMark)) continue;
      this.#recorded.add(keptMark);
      await this.#options.recordEnd?.(keptMark);
    }
  }

  async #announceEnds(): Promise<void> {
    for (const { handle, command, end } of this.#commands) {
      if (end === undefined || this.#announced.has(handle)) continue;
      this.#announced.add(handle);
      const exitCode = end.ended === 'failed' ? undefined : end.exitCode;
      const shown = { handle, command: cutLine(command, SHOWN_CHARS) };
      await this.#options.announce?.({ type: 'process:ended', ...shown, exitCode });
    }
  }

  async #save(): Promise<void> {
    const open = this.#commands.filter(({ end, hasNews }) => end === undefined || hasNews);
    const begun = open.map(({ handle, command, keptMark }) => ({ handle, command, keptMark }));
    const all = [...this.#earlier, ...begun];
    if (handlesOf(all) === this.#stored) return;
    await this.#options.save(all);
    this.#stored = handlesOf(all);
  }
}

const handlesOf = (begun: readonly BegunCommand[]) => begun.map(({ handle }) => handle).join(' ');
