import { ownCopy } from '../own-copy.ts';
import { exactNamesIn } from './exact-names.ts';
import { withoutTracebacks } from './tracebacks.ts';

/** Where a name occurred, and how often. */
export interface NameSightings {
  /** Key (see `fileKey`) of the file of the call in which the name first occurred. */
  file?: string;
  calls: number;
  users: number;
  texts: number;
  results: number;
  /** How often it occurred in calls about another file than `file`. */
  elsewhere: number;
  /** Whether a result or a call defined it, such as with `function NAME`. */
  defined: boolean;
  /** Sequence of the last message that mentions it. */
  lastSequence: number;
  /** Whether it is likely no path but words of a sentence, such as `read/write`. */
  readonly isProse: boolean;
  /** What {@link worthOf} subtracts for the name itself. */
  readonly cost: number;
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

/** Above the first number of names, those of the least worth are forgotten until the second number is left. */
const MAX_NAMES = 30_000;
const KEPT_NAMES = 20_000;

export interface Sighting {
  source: NameSource;
  sequence: number;
  file?: string | undefined;
}

export function addNames(index: NameIndex, text: string, { source, sequence, file }: Sighting): void {
  const read = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) : text;
  const visible = source === 'results' ? withoutTracebacks(read) : read;
  for (const found of exactNamesIn(visible)) {
    const name = withoutPosition(source === 'results' ? found.replace(DIFF_PREFIX, '') : found);
    if (TIME.test(name)) continue;
    const known = index.sightings.get(name) ?? addName(index, ownCopy(name), file);
    known[source] += 1;
    if (file !== undefined && file !== known.file) known.elsewhere += 1;
    known.lastSequence = sequence;
  }
  if (source === 'results' || source === 'calls') markDefined(index, visible);
  forgetLeastWorth(index);
}

/** Of the two sides of a diff. */
const DIFF_PREFIX = /^[ab]\/(?=.*\.)/;
const TIME = /^T?\d\d:\d\d(?::|$)|^T\d\d:\d\d/;

const DEFINITION =
  /\b(?:function|class|interface|type|enum|struct|trait|def|func|fn|const)\s{1,4}(?:\([^)\n]{0,60}\)\s?)?([A-Za-z_]\w{5,})/g;

function markDefined({ sightings }: NameIndex, text: string): void {
  for (const [, name = ''] of text.matchAll(DEFINITION)) {
    const seen = sightings.get(name);
    if (seen !== undefined) seen.defined = true;
  }
}

/**
 * Returns the path of a position in a file, such as `src/app.ts:12:5` or `README.md:9:word` in the output of `grep`.
 */
function withoutPosition(name: string): string {
  return POSITION.exec(name)?.[1] ?? name;
}

const POSITION = /^([^:]*\.[A-Za-z]\w{0,9}):\d+(?::.*)?$/;

function addName(index: NameIndex, name: string, file: string | undefined): NameSightings {
  const origin = index.origins.get(name) ?? file ?? '';
  const counts = { calls: 0, users: 0, texts: 0, results: 0, elsewhere: 0, defined: false, lastSequence: 0 };
  const added = createSightings(name, origin === '' ? counts : { file: origin, ...counts });
  index.sightings.set(name, added);
  addPieces(index, name, file);
  return added;
}

export function createSightings(
  name: string,
  counts: Omit<NameSightings, 'cost' | 'isProse'>,
): NameSightings {
  return {
    ...counts,
    isProse: PROSE.test(name),
    cost: 0.7 * Math.log(charsOf(name) + 1) + (PASSING.test(name) ? 2 : 0) - (FILE.test(name) ? 0.5 : 0),
  };
}

/** Several paths share the heading of their folder. */
function charsOf(path: string): number {
  return path.length - 0.5 * (path.lastIndexOf('/') + 1);
}

function addPieces({ sightings, origins }: NameIndex, name: string, file: string | undefined): void {
  if (!/[./:]/.test(name)) return;
  for (const piece of [...name.split(/[/:]/), ...name.split(/[/:.]/)]) {
    if (piece.length >= 6 && !sightings.has(piece) && !origins.has(piece)) origins.set(piece, file ?? '');
  }
}

/** Keeps the index at a bounded size in a session of any length. */
function forgetLeastWorth({ sightings, origins }: NameIndex): void {
  if (sightings.size > MAX_NAMES) {
    const worths = Float64Array.from(sightings.values(), worthOf);
    const least = worths.toSorted().at(-KEPT_NAMES) ?? Number.NEGATIVE_INFINITY;
    for (const [name, seen] of sightings) if (worthOf(seen) < least) sightings.delete(name);
    forgetOldest(sightings, KEPT_NAMES);
  }
  if (origins.size > MAX_NAMES) forgetOldest(origins, KEPT_NAMES);
}

function forgetOldest(names: Map<string, unknown>, kept: number): void {
  for (const name of names.keys()) {
    if (names.size <= kept) return;
    names.delete(name);
  }
}

/**
 * Returns how likely a name is needed again, on a logarithmic scale, minus the cost of writing it. A name in arguments
 * of calls or in user messages is likely needed again, and so is one that the work met in several files or where it is
 * defined, and a file of sources or documents. A name that occurred once is mostly noise, and so are hashes, numbers and
 * positions in files. The weights are round numbers, chosen on recorded sessions of several agents.
 */
export function worthOf(seen: NameSightings): number {
  const { calls, users, texts, results, elsewhere, defined, isProse, cost } = seen;
  const used = calls > 0 ? 0.6 * (1 + Math.log1p(calls)) : 0;
  const said = 2 * Math.log1p(users) + 0.3 * Math.log1p(texts);
  const found = 0.4 * Math.log1p(elsewhere) - 0.2 * Math.log1p(results) + (defined ? 0.3 : 0);
  const passing =
    (calls + users + texts + results === 1 ? 1 : 0) + (calls + results === 0 && isProse ? 1.5 : 0);
  return used + said + found - passing - cost;
}

/** Hashes, bare numbers, `file:line` and times. */
const PASSING = /^(?=.*\d)[0-9a-f]{7,40}$|^\d+$|:\d+$|^T?\d\d:\d\d:\d\d|^T\d\d:\d\d/;
/** With an extension of sources or documents. */
const FILE = /\.(?:[cm]?[jt]sx?|py|md|json|ya?ml|toml|sh|html|css|sql|rs|go|java|rb|php|c|h|cpp|vue|svelte)$/;
/** Only letters, and no extension; a substitution of `sed`. */
const PROSE = /^[A-Za-z-]+(?:\/[A-Za-z-]+)+$|^s\/.*\/.*\/g?$/;
