import { diff3MergeRegions } from 'node-diff3';

/** The lines of three texts, with their line feeds. */
export interface ThreeTexts<Line = string> {
  base: Line[];
  ours: Line[];
  theirs: Line[];
}

export interface LineMerge {
  text: string;
  /** Lines of `ours` that both changed, from 1. With a conflict, `text` contains both forms between markers. */
  conflicts: { start: number; count: number }[];
}

/** What the lines of markers call the two sides. */
export interface MergeLabels {
  ours: string;
  theirs: string;
}

/** Products of lengths. Comparing takes about a second then. */
const MAX_COMPARISONS = 1_000_000_000;

/** Merges by lines. Undefined: too many lines lie between the first and the last change. */
export function mergeLines(texts: ThreeTexts, labels: MergeLabels): LineMerge | undefined {
  const { start, end } = commonEnds(texts);
  const changed = mapTexts(texts, (lines) => lines.slice(start, lines.length - end));
  const longest = Math.max(changed.ours.length, changed.theirs.length);
  if (changed.base.length * longest > MAX_COMPARISONS) return undefined;
  const writer = new MergeWriter(labels, texts.ours[0]?.endsWith('\r\n') === true ? '\r\n' : '\n');
  writer.lines(texts.base.slice(0, start));
  const [numbers, lines] = numbered(changed);
  for (const region of diff3MergeRegions(numbers.ours, numbers.base, numbers.theirs)) {
    if (region.stable) writer.lines(region.bufferContent.map((number) => lines[number] ?? ''));
    else
      writer.choice({
        ours: changed.ours.slice(region.aStart, region.aStart + region.aLength),
        theirs: changed.theirs.slice(region.bStart, region.bStart + region.bLength),
        at: start + region.aStart,
      });
  }
  writer.lines(texts.base.slice(texts.base.length - end));
  return writer.done();
}

/** Returns how many lines all three begin and end with. */
function commonEnds({ base, ours, theirs }: ThreeTexts): { start: number; end: number } {
  const shortest = Math.min(base.length, ours.length, theirs.length);
  let start = 0;
  while (start < shortest && base[start] === ours[start] && base[start] === theirs[start]) start += 1;
  let end = 0;
  while (
    end < shortest - start &&
    base.at(-1 - end) === ours.at(-1 - end) &&
    base.at(-1 - end) === theirs.at(-1 - end)
  )
    end += 1;
  return { start, end };
}

function mapTexts<From, To>(texts: ThreeTexts<From>, change: (lines: From[]) => To[]): ThreeTexts<To> {
  return { base: change(texts.base), ours: change(texts.ours), theirs: change(texts.theirs) };
}

/** Replaces lines by numbers, which compare faster. Returns the line of each number, too. */
function numbered(texts: ThreeTexts): [ThreeTexts<number>, string[]] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  return [mapTexts(texts, (lines) => lines.map(numberOf)), [...numbers.keys()]];
}

/** Collects the merged text. */
class MergeWriter {
  readonly #labels: MergeLabels;
  readonly #feed: string;
  readonly #text: string[] = [];
  readonly #conflicts: LineMerge['conflicts'] = [];

  constructor(labels: MergeLabels, feed: string) {
    this.#labels = labels;
    this.#feed = feed;
  }

  lines(lines: readonly string[]): void {
    for (const line of lines) this.#text.push(line);
  }

  /** Writes lines that both changed. Those that are equal at the beginning and the end are no part of the conflict. */
  choice({ ours, theirs, at }: { ours: string[]; theirs: string[]; at: number }): void {
    const { start, end } = commonEnds({ base: ours, ours, theirs });
    const [own, other] = [ours.slice(start, ours.length - end), theirs.slice(start, theirs.length - end)];
    this.lines(ours.slice(0, start));
    if (own.length > 0 || other.length > 0) {
      this.#conflicts.push({ start: at + start + 1, count: own.length });
      this.#marked(`<<<<<<< ${this.#labels.ours}`, own);
      this.#marked('=======', other);
      this.#marked(`>>>>>>> ${this.#labels.theirs}`, []);
    }
    this.lines(ours.slice(ours.length - end));
  }

  done(): LineMerge {
    return { text: this.#text.join(''), conflicts: this.#conflicts };
  }

  #marked(marker: string, lines: readonly string[]): void {
    this.lines([`${marker}${this.#feed}`, ...lines]);
    // Only the last line of a text can lack its line feed.
    if (lines.at(-1)?.endsWith('\n') === false) this.lines([this.#feed]);
  }
}
