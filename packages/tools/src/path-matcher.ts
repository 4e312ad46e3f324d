import { compileGlob, type GlobProgram } from './glob-program.ts';

/**
 * Creates a matcher of relative paths with `/` against a glob. Names that begin with a dot match too. A glob without a
 * slash is matched against the last name of the path.
 *
 * The cost of a match is at most proportional to the glob's length times the path's, for any glob and any path.
 *
 * @throws {LonghaulError} `invalid_request` for a glob that is too long or contains `!(…)`.
 */
export function createPathMatcher(glob: string): (path: string) => boolean {
  const machine = new GlobMachine(compileGlob(glob));
  if (glob.includes('/')) return (path) => machine.accepts(path);
  return (path) => machine.accepts(path.slice(path.lastIndexOf('/') + 1));
}

/** The steps of a program that can come next, after some text. */
interface State {
  chars: readonly number[];
  isEnd: boolean;
  /** The state after a character, as far as it is known. */
  after: Map<number, State>;
}

/** More states are not kept: a glob with many stars has more than would fit in memory. */
const MAX_STATES = 256;

/** Follows all ways through a program at the same time, and keeps what it learns about each set of steps. */
class GlobMachine {
  readonly #program: GlobProgram;
  readonly #states = new Map<string, State>();
  #start: State;

  constructor(program: GlobProgram) {
    this.#program = program;
    this.#start = this.#stateOf([program.start]);
  }

  accepts(text: string): boolean {
    let state = this.#start;
    for (let at = 0; at < text.length; at += 1) {
      if (state.chars.length === 0) return false;
      const code = text.charCodeAt(at);
      state = state.after.get(code) ?? this.#advance(state, code);
    }
    return state.isEnd && text !== '';
  }

  #advance(state: State, code: number): State {
    const { steps } = this.#program;
    const reached = state.chars.flatMap((index) => {
      const step = steps[index];
      return step?.kind === 'char' && step.accepts(code) ? [step.next] : [];
    });
    const next = this.#stateOf(reached);
    if (this.#states.size > MAX_STATES) this.#forget();
    else state.after.set(code, next);
    return next;
  }

  /** Enters each step at most once. */
  #stateOf(first: readonly number[]): State {
    const { steps } = this.#program;
    const entered = new Set<number>();
    const open = [...first];
    const chars: number[] = [];
    let isEnd = false;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const step = steps[index];
      if (step === undefined || entered.has(index)) continue;
      entered.add(index);
      if (step.kind === 'split') open.push(...step.targets);
      else if (step.kind === 'end') isEnd = true;
      else chars.push(index);
    }
    const key = `${chars.sort((left, right) => left - right).join()}${isEnd ? '.' : ''}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { chars, isEnd, after: new Map<number, State>() };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    this.#states.clear();
    this.#start = this.#stateOf([this.#program.start]);
  }
}
