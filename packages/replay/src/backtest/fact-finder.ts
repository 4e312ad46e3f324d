import { componentsOf, FactSightings, runsOf, type Sighting } from './fact-sightings.ts';
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
  readonly #sightings: FactSightings;
  readonly #shown = new WeakMap<Segment, Shown>();

  /** @param sightings Of the same facts, if texts were read with it before. */
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
  /** Which files they name, as far as asked. */
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
