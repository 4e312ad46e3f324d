interface OwnerUse {
  owner: string;
  used: number;
  /** When the owner last got a place, as a count of places. 0: never. */
  lastAt: number;
}

/**
 * The order in which those who wait get places. Among the owners that wait, the one with the fewest places is next, and
 * of two with as many, the one that got its last place the longest ago. So one owner with many sessions delays another by
 * at most one run. Of one owner, the first to wait is the first to begin.
 */
export class FairQueue<Item extends { owner: string }> {
  readonly #uses = new Map<string, OwnerUse>();
  #items: Item[] = [];
  #placeCount = 0;
  #order: readonly Item[] | undefined;

  get waiting(): readonly Item[] {
    return this.#items;
  }

  /** Number of places in use. */
  get usedCount(): number {
    return [...this.#uses.values()].reduce((sum, { used }) => sum + used, 0);
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#order = undefined;
  }

  remove(item: Item): void {
    this.#items = this.#items.filter((each) => each !== item);
    this.#order = undefined;
  }

  /** The owner gets a place. */
  use(owner: string): void {
    this.#placeCount += 1;
    this.#uses.set(owner, { owner, used: this.#useOf(owner).used + 1, lastAt: this.#placeCount });
    this.#order = undefined;
  }

  /** The owner gives a place back. */
  free(owner: string): void {
    const { used, lastAt } = this.#useOf(owner);
    this.#uses.set(owner, { owner, used: used - 1, lastAt });
    this.#order = undefined;
  }

  /** Those who wait, in the order in which they would begin if nobody else came. */
  order(): readonly Item[] {
    this.#order ??= this.#simulate();
    return this.#order;
  }

  /** Gives places to those who wait, one after the other. */
  #simulate(): Item[] {
    const lines = [...Map.groupBy(this.#items, ({ owner }) => owner)].map(([owner, items]) => ({
      ...this.#useOf(owner),
      items: items.values(),
    }));
    const order: Item[] = [];
    for (let at = this.#placeCount + 1; order.length < this.#items.length; at += 1) {
      lines.sort((one, other) => one.used - other.used || one.lastAt - other.lastAt);
      for (const line of lines) {
        const { value, done } = line.items.next();
        if (done === true) continue;
        order.push(value);
        line.used += 1;
        line.lastAt = at;
        break;
      }
    }
    return order;
  }

  #useOf(owner: string): OwnerUse {
    return this.#uses.get(owner) ?? { owner, used: 0, lastAt: 0 };
  }
}
