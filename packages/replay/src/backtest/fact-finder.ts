import { componentsOf, FactSightings, runsOf, type Sighting } from './fact-sightings.ts';
import { splitPath } from './facts.ts';
import type { Segment } from './recorded-session.ts';
import type { Fact } from './session-facts.ts';

/** The numbers of the facts that a segment shows. */
export interface Shown {
  readonly facts: readonly number[];
  /** The facts among them that are next to the file they came from. */
  readonly grounded: readonly number[];
}

/**
 * Finds a session's needed facts in texts. It searches each segment once and keeps the result, so the cost of a view is
 * that of its new segments.
 *
 * A text shows a fact that it contains literally. It also shows a path if it contains the last component of the path on
 * a line that contains the folder, or below the nearest line that ends with `/` or `:` and contains the folder.
 */
export class FactFinder {
  readonly #facts: readonly Fact[];
  readonly #sightings: FactSightings;
  readonly #shown = new WeakMap<Segment, Shown>();

  /** @param sightings Sightings of the same facts, to reuse the texts that they have searched. */
  constructor(
    facts: readonly Fact[],
    sightings: FactSightings = new FactSightings(facts.map((fact) => fact.text)),
  ) {
    this.#facts = facts;
    this.#sightings = sightings;
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
    for (const sighting of this.#sightings.in(text)) {
      for (const number of this.#shownBy(sighting)) {
        facts.add(number);
        if (!grounded.has(number) && this.#isGrounded(number, sighting, { args, namesInArgs }))
          grounded.add(number);
      }
    }
    return { facts: [...facts], grounded: [...grounded] };
  }

  #shownBy(sighting: Sighting): readonly number[] {
    if (sighting.named.length === 0) return sighting.literal;
    const named = sighting.named.filter((number) => {
      const folder = this.#facts[number]?.path?.folder;
      return folder !== undefined && isNamed(folder, sighting);
    });
    return [...sighting.literal, ...named];
  }

  #isGrounded(number: number, place: Place, { args, namesInArgs }: CallArguments): boolean {
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

type Place = Pick<Sighting, 'line' | 'heading'>;

interface CallArguments {
  args: string | undefined;
  /** Whether the arguments contain a file, for the files looked up so far. */
  namesInArgs: Map<string, boolean>;
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
