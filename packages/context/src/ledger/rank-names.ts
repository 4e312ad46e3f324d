import { type NameIndex, type NameSightings, worthOf } from './name-index.ts';

export interface RankedName {
  name: string;
  seen: NameSightings;
  worth: number;
}

export interface RankOptions {
  /**
   * The view shows all messages from this sequence on. Names that are mentioned last in one of them rank lower.
   */
  visibleFrom?: number | undefined;
  /** The number of names returned. Default: all. */
  most?: number;
}

/** Returns the names of the highest worth, highest first. Only they are sorted. */
export function rankNames({ sightings }: NameIndex, options: RankOptions = {}): RankedName[] {
  const { visibleFrom = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = options;
  const worthNow = (seen: NameSightings) =>
    worthOf(seen) - (seen.lastSequence >= visibleFrom ? SHOWN_DISCOUNT : 0);
  const worths = Float64Array.from(sightings.values(), worthNow);
  const least = most < worths.length ? worths.toSorted()[worths.length - most] : undefined;
  const best: RankedName[] = [];
  let place = 0;
  for (const [name, seen] of sightings) {
    const worth = worths[place] ?? 0;
    place += 1;
    if (least === undefined || worth >= least) best.push({ name, seen, worth });
  }
  best.sort((left, right) => right.worth - left.worth || right.seen.lastSequence - left.seen.lastSequence);
  return best.slice(0, most);
}

/** A name that the view shows is less useful in the ledger, but may be hidden later. */
const SHOWN_DISCOUNT = 4;
