import { takeToolName, toToolName } from '@longhaul/models';
import { foldName } from '@longhaul/protocol';

/** Gives tools of servers the names by which the model calls them. */
export class ToolNames {
  readonly #taken: Set<string>;
  readonly #numbers = new Map<string, number>();

  /** @param others Names that are taken, with the other names of tools. */
  constructor(others: readonly string[]) {
    this.#taken = new Set(others.map(foldName));
  }

  /** Returns `SERVER_TOOL` in the form that all providers accept. No two tools get names that mean the same. */
  nameFor(server: string, tool: string): string {
    return takeToolName(toToolName(`${server}_${tool}`), {
      isTaken: (name) => this.#taken.has(foldName(name)),
      take: (name) => this.#taken.add(foldName(name)),
      numbers: this.#numbers,
    });
  }
}
