/** Every fact is at least this long, so its first characters find it. */
const GRAM_CHARS = 6;
const RUN = /[\w\-./:]+/g;

/** What one run of characters that facts are made of shows, as numbers of facts. */
export interface RunFacts {
  /** Facts that stand in it. */
  readonly literal: readonly number[];
  /** Paths whose last component stands in it. */
  readonly named: readonly number[];
}

const NOTHING: RunFacts = { literal: [], named: [] };

/**
 * Finds facts in runs of the characters that they are made of. A run is looked into once: a session's texts are long, but made of few
 * different ones.
 */
export class FactRuns {
  readonly #facts: readonly string[];
  readonly #byGram = new Map<string, number[]>();
  readonly #byName = new Map<string, number[]>();
  readonly #known = new Map<string, RunFacts>();

  constructor(facts: readonly string[]) {
    this.#facts = facts;
    for (const [number, fact] of facts.entries()) {
      push(this.#byGram, fact.slice(0, GRAM_CHARS), number);
      const slash = fact.lastIndexOf('/');
      if (slash !== -1) push(this.#byName, fact.slice(slash + 1), number);
    }
  }

  /** Facts that stand in a text literally. */
  mentionedIn(text: string): Set<number> {
    const numbers = new Set<number>();
    for (const run of runsOf(text)) for (const number of this.inRun(run).literal) numbers.add(number);
    return numbers;
  }

  inRun(run: string): RunFacts {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    const literal = this.#literalIn(run);
    const named = this.#namedIn(run);
    const found = literal.length + named.length === 0 ? NOTHING : { literal, named };
    this.#known.set(run, found);
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

/** `src/a.ts:12` → `src`, `a.ts:12`, `a.ts`, `12`; a full stop behind a name is not part of it. */
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
