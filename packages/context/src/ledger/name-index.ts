import { exactNamesIn } from './exact-names.ts';

/** Where a name occurred, and how often. */
export interface NameSightings {
  /** Key (see `fileKey`) of the file of the call in which the name first occurred. */
  file?: string;
  calls: number;
  users: number;
  texts: number;
  results: number;
  /** Sequence of the last message that mentions it. */
  lastSequence: number;
}

export type NameSource = 'calls' | 'users' | 'texts' | 'results';

export interface NameIndex {
  readonly sightings: Map<string, NameSightings>;
  /**
   * For a piece of a longer name, such as the last component of a path: the file of the call in which it first
   * occurred. `''` if there was none.
   */
  readonly origins: Map<string, string>;
}

export function createNameIndex(): NameIndex {
  return { sightings: new Map(), origins: new Map() };
}

/** Longer texts are only read up to this length. A file of this size is opened again rather than remembered. */
const MAX_TEXT_CHARS = 400_000;

export interface Sighting {
  source: NameSource;
  sequence: number;
  file?: string | undefined;
}

export function addNames(index: NameIndex, text: string, { source, sequence, file }: Sighting): void {
  const read = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) : text;
  for (const name of exactNamesIn(read)) {
    const known = sightingsOf(index, name, file);
    known[source] += 1;
    known.lastSequence = sequence;
    addPieces(index, name, file);
  }
}

function sightingsOf(
  { sightings, origins }: NameIndex,
  name: string,
  file: string | undefined,
): NameSightings {
  const known = sightings.get(name);
  if (known !== undefined) return known;
  const origin = origins.get(name) ?? file ?? '';
  const made = { calls: 0, users: 0, texts: 0, results: 0, lastSequence: 0 };
  const created = origin === '' ? made : { file: origin, ...made };
  sightings.set(name, created);
  return created;
}

function addPieces({ sightings, origins }: NameIndex, name: string, file: string | undefined): void {
  if (!/[./:]/.test(name)) return;
  for (const piece of [...name.split(/[/:]/), ...name.split(/[/:.]/)]) {
    if (piece.length >= 6 && !sightings.has(piece) && !origins.has(piece)) origins.set(piece, file ?? '');
  }
}

/**
 * Returns how likely a name is needed again, on a logarithmic scale, minus the cost of writing it. A name in arguments
 * of calls or in user messages is likely needed again. A name that only occurs in many outputs is mostly noise, and so
 * are hashes, numbers and positions in files. The weights are round numbers, chosen on recorded sessions of several
 * agents.
 */
export function worthOf(name: string, seen: NameSightings): number {
  const used = seen.calls > 0 ? 1 + Math.log1p(seen.calls) : 0;
  const said = 2 * Math.log1p(seen.users) + 0.3 * Math.log1p(seen.texts);
  const noise = 0.9 * Math.log1p(seen.results) + (PASSING.test(name) ? 2 : 0);
  return used + said - noise - 0.5 * Math.log(name.length + 1);
}

/** Hashes, bare numbers and `file:line`. */
const PASSING = /^(?=.*\d)[0-9a-f]{7,40}$|^\d+$|:\w+$/;
