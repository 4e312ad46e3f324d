/** The least length of a fact. Facts are indexed by as many of their first characters. */
const GRAM_CHARS = 6;
const RUN = /[\w\-./:]+/g;

/** The numbers of the facts in a run of characters that are allowed in facts. */
export interface RunFacts {
  /** Facts that the run contains. */
  readonly literal: readonly number[];
  /** Paths whose last component is a component of the run. */
  readonly named: readonly number[];
}

const NOTHING: RunFacts = { literal: [], named: [] };

/** A line that contains facts, or last components of paths. */
export interface Sighting extends RunFacts {
  readonly line: string;
  /** The nearest line above that ends with `/` or `:`; empty if there is none. */
  readonly heading: string;
}

/**
 * Finds facts in texts. It searches each text once, and each different run of characters once: the texts of a session
 * are long, but consist of few different runs.
 */
export class FactSightings {
  readonly #facts: readonly string[];
  readonly #byGram = new Map<string, number[]>();
  readonly #byName = new Map<string, number[]>();
  readonly #runs = new Map<string, RunFacts>();
  readonly #texts = new Map<string, readonly Sighting[]>();

  constructor(facts: readonly string[]) {
    this.#facts = facts;
    for (const [number, fact] of facts.entries()) {
      push(this.#byGram, fact.slice(0, GRAM_CHARS), number);
      const slash = fact.lastIndexOf('/');
      if (slash !== -1) push(this.#byName, fact.slice(slash + 1), number);
    }
  }

  /** Returns the numbers of the facts that a text contains literally. */
  mentionedIn(text: string): Set<number> {
    return new Set(this.in(text).flatMap((sighting) => sighting.literal));
  }

  in(text: string): readonly Sighting[] {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const sightings: Sighting[] = [];
    let heading = '';
    for (const line of text.split('\n')) {
      const found = this.#onLine(line);
      if (found !== NOTHING) sightings.push({ line, heading, ...found });
      if (/[/:]\s*$/.test(line.slice(-8))) heading = line;
    }
    this.#texts.set(text, sightings);
    return sightings;
  }

  #onLine(line: string): RunFacts {
    let found = NOTHING;
    for (const run of runsOf(line)) {
      const facts = this.#inRun(run);
      if (facts === NOTHING) continue;
      found = { literal: [...found.literal, ...facts.literal], named: [...found.named, ...facts.named] };
    }
    return found;
  }

  #inRun(run: string): RunFacts {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const literal = this.#literalIn(run);
    const named = this.#namedIn(run);
    const found = literal.length + named.length === 0 ? NOTHING : { literal, named };
    this.#runs.set(run, found);
    return found;
  }

  #literalIn(run: string): number[] {
    const found = new Set<number>();
    for (let start = 0; start + GRAM_CHARS <= run.length; start += 1) {
      for (const number of this.#byGram.get(run.slice(start, start + GRAM_CHARS)) ?? []) {
        if (run.startsWith(this.#facts[number] ?? '', start)) found.add(number);
      }
    }
    return [...found];
  }

  #namedIn(run: string): number[] {
    return [...componentsOf(run)].flatMap((component) => this.#byName.get(component) ?? []);
  }
}

export function runsOf(text: string): string[] {
  return text.match(RUN) ?? [];
}

/** Splits `src/a.ts:12` into `src`, `a.ts:12`, `a.ts` and `12`. A full stop after a name is not part of it. */
export function componentsOf(run: string): Set<string> {
  const components = new Set<string>();
  for (const piece of run.split('/')) {
    for (const component of [piece, ...piece.split(':')]) {
      const name = component.replace(/[.:]+$/, '');
      if (name !== '') components.add(name);
    }
  }
  return components;
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
