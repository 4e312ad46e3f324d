/** Something that was shown shortened, and opens whole in the pager. */
export interface Openable {
  title: string;
  text: () => string | Promise<string>;
}

/** Older ones are found in `longhaul show`. */
const MAX_KEPT = 50;

/** The newest shortened things, the newest first. */
export class Openables {
  readonly #items: Openable[] = [];

  add(item: Openable): void {
    this.#items.unshift(item);
    if (this.#items.length > MAX_KEPT) this.#items.pop();
  }

  get items(): readonly Openable[] {
    return this.#items;
  }
}
