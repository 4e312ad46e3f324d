import { splitPath } from './facts.ts';
import type { Segment } from './recorded-session.ts';
import type { Fact } from './session-facts.ts';

/** The facts, by number, that a segment shows. */
export interface Shown {
  readonly facts: readonly number[];
  /** Those of them that stand beside the file they came from. */
  readonly grounded: readonly number[];
}

/** Every fact is at least this long, so its first characters find it. */
const GRAM_CHARS = 6;
const RUN = /[\w\-./:]+/g;

/**
 * Finds a session's needed facts in texts. Each segment is read once and remembered, so that a view costs what is new in it.
 *
 * A fact stands in a text literally. A path stands there too by its last component, on a line that names its folder or under the nearest
 * line above that ends with `/` or `:` and names it.
 */
export class FactFinder {
  readonly #facts: readonly Fact[];
  readonly #byGram = new Map<string, number[]>();
  readonly #byName = new Map<string, number[]>();
  readonly #runs = new Map<string, RunFacts>();
  readonly #shown = new WeakMap<Segment, Shown>();

  constructor(facts: readonly Fact[]) {
    this.#facts = facts;
    for (const [number, { text, path }] of facts.entries()) {
      push(this.#byGram, text.slice(0, GRAM_CHARS), number);
      if (path !== undefined) push(this.#byName, path.name, number);
    }
  }

  /** Facts that stand in a text literally. */
  mentionedIn(text: string): Set<number> {
    const numbers = new Set<number>();
    for (const [run] of text.matchAll(RUN)) {
      for (const number of this.#inRun(run).literal) numbers.add(number);
    }
    return numbers;
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
    for (const [run] of place.line.matchAll(RUN)) {
      const { literal, named } = this.#inRun(run);
      for (const number of literal) numbers.add(number);
      for (const number of named) {
        const folder = this.#facts[number]?.path?.folder;
        if (folder !== undefined && isNamed(folder, place)) numbers.add(number);
      }
    }
    return numbers;
  }

  #inRun(run: string): RunFacts {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const found = { literal: this.#literalIn(run), named: this.#namedIn(run) };
    this.#runs.set(run, found);
    return found;
  }

  #literalIn(run: string): number[] {
    const found = new Set<number>();
    for (let start = 0; start + GRAM_CHARS <= run.length; start += 1) {
      for (const number of this.#byGram.get(run.slice(start, start + GRAM_CHARS)) ?? []) {
        if (run.startsWith(this.#facts[number]?.text ?? '', start)) found.add(number);
      }
    }
    return [...found];
  }

  #namedIn(run: string): number[] {
    return [...componentsOf(run)].flatMap((component) => this.#byName.get(component) ?? []);
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

interface RunFacts {
  /** Facts that stand in it. */
  literal: readonly number[];
  /** Paths whose last component stands in it. */
  named: readonly number[];
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
  return (place.line.match(RUN) ?? []).some((run) => componentsOf(run).has(path.name));
}

/** `src/a.ts:12` → `src`, `a.ts:12`, `a.ts`, `12`; a full stop behind a name is not part of it. */
function componentsOf(run: string): Set<string> {
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
