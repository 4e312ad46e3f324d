import type { LoosePlace } from '../edit/loose-places.ts';
import { placesThatCount } from '../edit/loose-places.ts';
import { listLines } from '../edit/nearest-text.ts';

/** Where a hunk can be. No places: it is added at the end of the file. */
export interface FoundHunk {
  /** How many lines of the file it replaces. */
  count: number;
  places: LoosePlace[];
}

export type ChosenPlaces = { places: (LoosePlace | undefined)[] } | { refusal: string };

/**
 * Chooses the places of a file's hunks if there is only one way: in the order of the hunks, or in any order if each has
 * one place and no other place would put them in order.
 */
export function choosePlaces(hunks: readonly FoundHunk[]): ChosenPlaces {
  const counted = hunks.map((hunk) => ({ ...hunk, places: placesThatCount(hunk.places) }));
  const first = inOrder(counted, 'down');
  const last = inOrder([...counted].reverse(), 'up')?.reverse();
  if (first !== undefined && last !== undefined) {
    const differs = first.findIndex((place, index) => place?.at !== last[index]?.at);
    // The part of a line in which a hunk begins is always its start, so a line has one place.
    return differs === -1 ? { places: first } : refuse(counted, differs);
  }
  const several = counted.findIndex(({ places }) => places.length > 1);
  if (several !== -1) return refuse(counted, several);
  const unclear = hunks.findIndex(({ places }) => places.length > 1);
  if (unclear !== -1 && inOrder(hunks, 'down') !== undefined) return refuse(hunks, unclear);
  return { places: counted.map(({ places: [place] }) => place) };
}

/**
 * Chooses the first place of each hunk after that of the hunk before it: from the start of the file, or from its end.
 */
function inOrder(
  hunks: readonly FoundHunk[],
  direction: 'down' | 'up',
): (LoosePlace | undefined)[] | undefined {
  const chosen: (LoosePlace | undefined)[] = [];
  const isUp = direction === 'up';
  let bound = isUp ? Number.POSITIVE_INFINITY : 0;
  for (const { count, places } of hunks) {
    const isFree = ({ at }: LoosePlace) => (isUp ? at + count <= bound : at >= bound);
    const place = isUp ? places.findLast(isFree) : places.find(isFree);
    if (place === undefined && places.length > 0) return undefined;
    chosen.push(place);
    if (place !== undefined) bound = isUp ? place.at : place.at + count;
  }
  return chosen;
}

function refuse(hunks: readonly FoundHunk[], index: number): { refusal: string } {
  const places = hunks[index]?.places ?? [];
  const differences = new Set(places.flatMap((place) => [...place.differences]));
  const how = differences.size === 0 ? '' : `, if ${[...differences].join(', ')} are ignored`;
  const lines = listLines(places.map(({ at }) => at + 1));
  return {
    refusal: `hunk ${index + 1} matches ${places.length} times, at lines ${lines}${how}: add lines around it, or a line @@ with that of its function.`,
  };
}
