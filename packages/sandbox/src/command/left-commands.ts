import type { RunningCommand } from './supervise-command.ts';

interface LeftCommand {
  command: RunningCommand;
  /** Stores that all processes of the command have ended. */
  recordEnd: () => Promise<void>;
}

/** The commands that have ended and left processes running. */
export class LeftCommands {
  readonly #left = new Set<LeftCommand>();

  add(command: RunningCommand, recordEnd: () => Promise<void>): void {
    this.#left.add({ command, recordEnd });
  }

  /** Forgets commands whose last process has ended. Looking often also keeps track of new processes of the others. */
  async forgetEnded(): Promise<void> {
    for (const left of this.#left) if (left.command.countRunning?.() === 0) await this.#end(left);
  }

  /** Kills all processes, or leaves them to themselves. A command that cannot be killed does not protect the others. */
  async close({ keeps }: { keeps: boolean }): Promise<void> {
    const ends = [...this.#left].map(async (left) => {
      if (keeps) left.command.abandon?.();
      else await this.#end(left);
    });
    const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #end(left: LeftCommand): Promise<void> {
    await left.command.destroy();
    this.#left.delete(left);
    await left.recordEnd();
  }
}
