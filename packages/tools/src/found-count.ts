import type { FoundLine, ShownLimit } from './workspace-search.ts';

/** Counts the matches of a search, and the files that contain them. Lines must be added in order. */
export class FoundCount {
  matches = 0;
  files = 0;
  readonly #limit: ShownLimit;
  /** The file of the last match. */
  #path: string | undefined;

  constructor(limit: ShownLimit) {
    this.#limit = limit;
  }

  /** Whether the next line is within the limit. */
  isShown(line: FoundLine): boolean {
    const { unit, most } = this.#limit;
    const more = unit === 'matches' ? line.isMatch : this.#isNewFile(line);
    return this[unit] + (more ? 1 : 0) <= most;
  }

  add(line: FoundLine): void {
    if (this.#isNewFile(line)) this.files += 1;
    if (!line.isMatch) return;
    this.matches += 1;
    this.#path = line.path;
  }

  #isNewFile(line: FoundLine): boolean {
    return line.isMatch && line.path !== this.#path;
  }
}
