import type { RunSpec } from './backtest-types.ts';
import type { FoundFile } from './find-session-files.ts';
import type { Job, JobOptions } from './job-runner.ts';

/**
 * Hands out jobs. A worker stays on the file that it has read, large files come first, and no worker waits while there
 * are jobs.
 */
export class JobQueue {
  readonly #pending = new Map<string, RunSpec[]>();
  readonly #fresh: string[];
  readonly #options: JobOptions;

  constructor(files: readonly FoundFile[], runs: readonly RunSpec[], options: JobOptions) {
    this.#options = options;
    this.#fresh = files.toSorted((left, right) => right.bytes - left.bytes).map(({ path }) => path);
    for (const { path } of files) this.#pending.set(path, [...runs]);
  }

  /** Returns the next job for a worker that has read `lastPath`, or undefined if there are no more jobs. */
  next(lastPath: string | undefined): Job | undefined {
    const path = this.#choose(lastPath);
    if (path === undefined) return undefined;
    const runs = this.#pending.get(path) ?? [];
    const run = runs.shift();
    if (runs.length === 0) this.#pending.delete(path);
    return run === undefined ? undefined : { path, ...run, ...this.#options };
  }

  /** Removes the jobs of a file that cannot be read, and returns their number. */
  drop(path: string): number {
    const dropped = this.#pending.get(path)?.length ?? 0;
    this.#pending.delete(path);
    return dropped;
  }

  #choose(lastPath: string | undefined): string | undefined {
    if (lastPath !== undefined && this.#pending.has(lastPath)) return lastPath;
    for (;;) {
      const fresh = this.#fresh.shift();
      if (fresh === undefined) break;
      if (this.#pending.has(fresh)) return fresh;
    }
    return this.#pending.keys().next().value;
  }
}
