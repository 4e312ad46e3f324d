import { PRIORITIES, type Priority } from '@longhaul/protocol';

interface OwnerUse {
  owner: string;
  used: number;
  /** When the owner last got a place, as a count of places. 0: never. */
  lastAt: number;
}

/**
 * The order in which those who wait get places. A higher priority comes first. Among the owners that wait with the same one, the one with the fewest places is next, and
 * of two with as many, the one that got its last place the longest ago. So one owner with many sessions delays another by
 * at most one run. Of one owner, the first to wait is the first to begin.
 */
export class FairQueue<Item extends { owner: string; priority: Priority }> {
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

  /** Changes the priority of some of those who wait. */
  prioritise(priority: Priority, isChanged: (item: Item) => boolean): void {
    for (const item of this.#items) if (isChanged(item)) item.priority = priority;
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
    const uses = new Map([...this.#uses].map(([owner, use]) => [owner, { ...use }]));
    const order: Item[] = [];
    for (const priority of PRIORITIES.toReversed()) {
      const items = this.#items.filter((item) => item.priority === priority);
      const lines = [...Map.groupBy(items, ({ owner }) => owner)].map(([owner, line]) => {
        const use = uses.get(owner) ?? { owner, used: 0, lastAt: 0 };
        uses.set(owner, use);
        return { use, items: line.values() };
      });
      for (let left = items.length; left > 0; left -= 1) {
        lines.sort(({ use: one }, { use: other }) => one.used - other.used || one.lastAt - other.lastAt);
        for (const { use, items: line } of lines) {
          const { value, done } = line.next();
          if (done === true) continue;
          order.push(value);
          use.used += 1;
          use.lastAt = this.#placeCount + order.length;
          break;
        }
      }
    }
    return order;
  }

  #useOf(owner: string): OwnerUse {
    return this.#uses.get(owner) ?? { owner, used: 0, lastAt: 0 };
  }
}
