import type { ToolPart } from '@longhaul/protocol';

/** So often the same calls with the same results in a row are a loop. */
export const DEFAULT_REPEATED_CALLS = 3;

/** Longest round of calls that is recognised: A B A B A B is a loop like A A A. */
const MAX_ROUND = 4;

export interface Loop {
  /** The calls of one round, as `name arguments`. */
  calls: string[];
  /** How often they were made in a row. */
  times: number;
  /** The model was told of this loop before. */
  isKnown: boolean;
}

/**
 * Recognises a model that goes round in a circle: the same calls with the same results, three times in a row by default. Calls whose results change
 * (waiting for something, tests after an edit) are no loop.
 */
export class LoopWatch {
  readonly #repeats: number;
  #recent: { call: string; signature: string }[] = [];
  readonly #known = new Set<string>();

  /** @param repeats Null: nothing is a loop. */
  constructor(repeats: number | null = DEFAULT_REPEATED_CALLS) {
    this.#repeats = repeats ?? Number.POSITIVE_INFINITY;
  }

  /** Takes the closed calls of a step. Undefined: no loop ends with them. */
  add(parts: readonly ToolPart[]): Loop | undefined {
    let found: Loop | undefined;
    if (this.#repeats === Number.POSITIVE_INFINITY) return found;
    for (const part of parts) {
      const call = `${part.name} ${JSON.stringify(part.input)}`;
      this.#recent.push({ call, signature: `${call}\n${part.inputText ?? ''}\n${resultOf(part)}` });
      if (this.#recent.length > this.#repeats * MAX_ROUND) this.#recent.shift();
      found = this.#loopAtEnd() ?? found;
    }
    return found;
  }

  #loopAtEnd(): Loop | undefined {
    for (let length = 1; length <= MAX_ROUND && length * this.#repeats <= this.#recent.length; length += 1) {
      if (!this.#isRepeated(length)) continue;
      const round = this.#recent.slice(-length);
      // A circle is the same wherever one enters it.
      const key = JSON.stringify([...new Set(round.map((entry) => entry.signature))].sort());
      const isKnown = this.#known.has(key);
      this.#known.add(key);
      return { calls: round.map((entry) => entry.call), times: this.#repeats, isKnown };
    }
    return undefined;
  }

  #isRepeated(length: number): boolean {
    const tail = this.#recent.slice(-length * this.#repeats);
    return tail.every((entry, index) => entry.signature === tail[index % length]?.signature);
  }
}

/** A cut output names its own handle; the whole text behind it is named by its content. */
function resultOf({ state, output, fullOutput }: ToolPart): string {
  return `${state} ${fullOutput ?? JSON.stringify(output)}`;
}
