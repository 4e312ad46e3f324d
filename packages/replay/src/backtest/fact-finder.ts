import { componentsOf, FactRuns, runsOf } from './fact-runs.ts';
import { splitPath } from './facts.ts';
import type { Segment } from './recorded-session.ts';
import type { Fact } from './session-facts.ts';

/** The facts, by number, that a segment shows. */
export interface Shown {
  readonly facts: readonly number[];
  /** Those of them that stand beside the file they came from. */
  readonly grounded: readonly number[];
}

/**
 * Finds a session's needed facts in texts. Each segment is read once and remembered, so that a view costs what is new in it.
 *
 * A fact stands in a text literally. A path stands there too by its last component, on a line that names its folder or under the nearest
 * line above that ends with `/` or `:` and names it.
 */
export class FactFinder {
  readonly #facts: readonly Fact[];
  readonly #runs: FactRuns;
  readonly #shown = new WeakMap<Segment, Shown>();

  /** @param runs What the texts of the same facts were looked up with before, so that nothing is looked up twice. */
  constructor(facts: readonly Fact[], runs: FactRuns = new FactRuns(facts.map((fact) => fact.text))) {
    this.#facts = facts;
    this.#runs = runs;
  }

  shownIn(segment: Segment): Shown {
    const known = this.#shown.get(segment);
    if (known !== undefined) return known;
    const shown = this.#read(segment);
    this.#shown.set(segment, shown);
    return shown;
  }

  #read({ text, args }: Segment): Shown {
    const facts = new Set<number>();
    const grounded = new Set<number>();
    const namesInArgs = new Map<string, boolean>();
    for (const [place, numbers] of this.#places(text)) {
      for (const number of numbers) {
        facts.add(number);
        if (!grounded.has(number) && this.#isGrounded(number, place, args, namesInArgs)) grounded.add(number);
      }
    }
    return { facts: [...facts], grounded: [...grounded] };
  }

  /** Lines that show facts, each with those it shows. */
  *#places(text: string): Generator<[Place, Set<number>]> {
    let heading = '';
    for (const line of text.split('\n')) {
      const place = { line, heading };
      const numbers = this.#onLine(place);
      if (numbers.size > 0) yield [place, numbers];
      if (/[/:]\s*$/.test(line.slice(-8))) heading = line;
    }
  }

  #onLine(place: Place): Set<number> {
    const numbers = new Set<number>();
    for (const run of runsOf(place.line)) {
      const { literal, named } = this.#runs.inRun(run);
      for (const number of literal) numbers.add(number);
      for (const number of named) {
        const folder = this.#facts[number]?.path?.folder;
        if (folder !== undefined && isNamed(folder, place)) numbers.add(number);
      }
    }
    return numbers;
  }

  #isGrounded(
    number: number,
    place: Place,
    args: string | undefined,
    namesInArgs: Map<string, boolean>,
  ): boolean {
    const file = this.#facts[number]?.file;
    if (file === undefined) return true;
    if (args !== undefined) {
      const inArgs = namesInArgs.get(file) ?? namesFile(file, { line: args, heading: '' });
      namesInArgs.set(file, inArgs);
      if (inArgs) return true;
    }
    return namesFile(file, place);
  }
}

interface Place {
  line: string;
  /** The nearest line above that ends with `/` or `:`. */
  heading: string;
}

function isNamed(folder: string, { line, heading }: Place): boolean {
  return line.includes(folder) || heading.includes(folder);
}

function namesFile(file: string, place: Place): boolean {
  if (place.line.includes(file)) return true;
  const path = splitPath(file);
  if (path === undefined || !place.line.includes(path.name) || !isNamed(path.folder, place)) return false;
  return runsOf(place.line).some((run) => componentsOf(run).has(path.name));
}
