import type { FactFinder } from './fact-finder.ts';
import { type RecordedSession, type Segment, tokensOf } from './recorded-session.ts';
import type { Need, SessionFacts } from './session-facts.ts';

/** Sums over steps. The sum of two tallies pools them. */
export interface Tally {
  steps: number;
  /** Needed facts, and those among them that the view of their step showed. */
  needed: number;
  neededSeen: number;
  far: number;
  farSeen: number;
  /** Far facts that were shown next to the file they came from. */
  farGrounded: number;
  /** Steps whose view exceeded the usable tokens. */
  overflows: number;
  sentTokens: number;
  costTokens: number;
  /** Steps whose view did not start with the whole view of the step before. */
  compactions: number;
}

export const EMPTY_TALLY: Readonly<Tally> = {
  steps: 0,
  needed: 0,
  neededSeen: 0,
  far: 0,
  farSeen: 0,
  farGrounded: 0,
  overflows: 0,
  sentTokens: 0,
  costTokens: 0,
  compactions: 0,
};

export function addTallies(left: Tally, right: Tally): Tally {
  return {
    steps: left.steps + right.steps,
    needed: left.needed + right.needed,
    neededSeen: left.neededSeen + right.neededSeen,
    far: left.far + right.far,
    farSeen: left.farSeen + right.farSeen,
    farGrounded: left.farGrounded + right.farGrounded,
    overflows: left.overflows + right.overflows,
    sentTokens: left.sentTokens + right.sentTokens,
    costTokens: left.costTokens + right.costTokens,
    compactions: left.compactions + right.compactions,
  };
}

/** Returns a part of a whole as a number from 0 to 1, or undefined if the whole is 0. */
export function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** Price of a token in the prefix that a view shares with the view before it. A new token costs 1. */
const CACHED_PRICE = 0.1;

/** The measures of one step's view. */
export interface StepMeasure {
  readonly tokens: number;
  readonly isRewritten: boolean;
  /** Numbers of the needed facts that the view does not show. */
  readonly missing: readonly number[];
}

export interface MeterOptions {
  finder: FactFinder;
  needs: SessionFacts['needs'];
  /** The window minus the output reserve. */
  usableTokens: number;
}

/**
 * Measures the views of one replay, step by step. It counts how often the current view shows each fact, and updates the
 * counts by the added and removed segments.
 */
export class ViewMeter {
  readonly #options: MeterOptions;
  readonly #shown = new Map<number, number>();
  readonly #grounded = new Map<number, number>();
  #view: readonly Segment[] = [];
  #tally: Tally = { ...EMPTY_TALLY };

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  get tally(): Tally {
    return { ...this.#tally };
  }

  /** Measures the view of the next step. `callTokens` are the tokens of summary calls before it. */
  measure(view: readonly Segment[], callTokens = 0): StepMeasure {
    const common = commonPrefix(this.#view, view);
    const isRewritten = common < this.#view.length;
    for (const segment of this.#view.slice(common)) this.#count(segment, -1);
    for (const segment of view.slice(common)) this.#count(segment, 1);
    this.#view = view;
    const cachedTokens = tokensOf(view.slice(0, common));
    const newTokens = tokensOf(view.slice(common));
    const tokens = cachedTokens + newTokens;
    const missing = this.#look(this.#options.needs[this.#tally.steps] ?? []);
    this.#tally.steps += 1;
    this.#tally.sentTokens += tokens;
    this.#tally.costTokens += cachedTokens * CACHED_PRICE + newTokens + callTokens;
    if (tokens > this.#options.usableTokens) this.#tally.overflows += 1;
    if (isRewritten) this.#tally.compactions += 1;
    return { tokens, isRewritten, missing };
  }

  #look(needs: readonly Need[]): number[] {
    const missing: number[] = [];
    for (const { fact, isFar } of needs) {
      const isSeen = (this.#shown.get(fact) ?? 0) > 0;
      if (!isSeen) missing.push(fact);
      this.#tally.needed += 1;
      if (isSeen) this.#tally.neededSeen += 1;
      if (!isFar) continue;
      this.#tally.far += 1;
      if (isSeen) this.#tally.farSeen += 1;
      if ((this.#grounded.get(fact) ?? 0) > 0) this.#tally.farGrounded += 1;
    }
    return missing;
  }

  #count(segment: Segment, change: 1 | -1): void {
    const { facts, grounded } = this.#options.finder.shownIn(segment);
    for (const fact of facts) this.#shown.set(fact, (this.#shown.get(fact) ?? 0) + change);
    for (const fact of grounded) this.#grounded.set(fact, (this.#grounded.get(fact) ?? 0) + change);
  }
}

function commonPrefix(before: readonly Segment[], now: readonly Segment[]): number {
  let index = 0;
  while (index < before.length && index < now.length && isSame(before[index], now[index])) index += 1;
  return index;
}

function isSame(left: Segment | undefined, right: Segment | undefined): boolean {
  return (
    left === right || (left?.kind === right?.kind && left?.text === right?.text && left?.args === right?.args)
  );
}

/** Returns the cost of sending everything. Each view shares the whole view before it. */
export function everythingCost({ events, steps }: RecordedSession): number {
  let cost = 0;
  let sent = 0;
  let next = 0;
  for (const { firstEvent } of steps) {
    const added = tokensOf(events.slice(next, firstEvent));
    cost += sent * CACHED_PRICE + added;
    sent += added;
    next = firstEvent;
  }
  return cost;
}
