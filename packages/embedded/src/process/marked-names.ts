/** Longest text between the mark of a call and the end of its name. */
const KEPT = 400;

/**
 * Collects the names in calls that a model has marked as such, so that a call of an unknown tool reaches the caller as a
 * call.
 */
export class MarkedNames {
  readonly #names = new Set<string>();
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT);
    for (const [, name = ''] of this.#text.matchAll(/<tool_call>\s*\{\s*"name"\s*:\s*"([\w.:-]+)"/g))
      this.#names.add(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}
