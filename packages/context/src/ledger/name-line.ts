/** Names on one line, none of which contains another. A name has no line break. */
export class NameLine {
  readonly #names: string[] = [];
  /** The names, each with a line break after it: one search of it takes less time than a search of each name. */
  #text = '';

  get names(): readonly string[] {
    return this.#names;
  }

  /** Returns whether a name is on the line, alone or as part of a longer one. */
  has(name: string): boolean {
    return this.#text.includes(name);
  }

  /** Returns the names of the line that are a part of another name. */
  within(name: string): string[] {
    return this.#names.filter((known) => known.length < name.length && name.includes(known));
  }

  /** Adds a name in place of the names that it contains. */
  add(name: string, replaced: readonly string[]): void {
    for (const known of replaced) this.#names.splice(this.#names.indexOf(known), 1);
    this.#names.push(name);
    this.#text = replaced.length === 0 ? `${this.#text}${name}\n` : `${this.#names.join('\n')}\n`;
  }
}
