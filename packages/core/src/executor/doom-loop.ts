import type { ToolPart } from '@longhaul/protocol';

/** The same calls with the same results this many times in a row are a loop. */
const DEFAULT_REPEATED_CALLS = 3;

/** Most calls in a repeated sequence. A B A B A B is a loop like A A A. */
const MAX_SEQUENCE_CALLS = 4;

export interface Loop {
  /** The calls of one repetition, as `name arguments`. */
  calls: string[];
  /** Number of repetitions in a row. */
  times: number;
  /** The same loop was found before, so the model has been warned. */
  isKnown: boolean;
}

/**
 * Detects a model in a loop: the same calls with the same results, by default three times in a row. Calls whose results
 * change (polling, tests after an edit) are not a loop.
 */
export class LoopWatch {
  readonly #repeats: number;
  #recent: { call: string; signature: string }[] = [];
  readonly #known = new Set<string>();

  /** @param repeats Null disables the detection. */
  constructor(repeats: number | null = DEFAULT_REPEATED_CALLS) {
    this.#repeats = repeats ?? Number.POSITIVE_INFINITY;
  }

  /** Adds the finished calls of a step. Returns the loop that ends with one of them, or undefined. */
  add(parts: readonly ToolPart[]): Loop | undefined {
    let found: Loop | undefined;
    if (this.#repeats === Number.POSITIVE_INFINITY) return found;
    for (const part of parts) {
      const call = `${part.name} ${JSON.stringify(part.input)}`;
      this.#recent.push({ call, signature: `${call}\n${part.inputText ?? ''}\n${resultOf(part)}` });
      if (this.#recent.length > this.#repeats * MAX_SEQUENCE_CALLS) this.#recent.shift();
      found = this.#loopAtEnd() ?? found;
    }
    return found;
  }

  #loopAtEnd(): Loop | undefined {
    const longest = Math.min(MAX_SEQUENCE_CALLS, Math.floor(this.#recent.length / this.#repeats));
    for (let length = 1; length <= longest; length += 1) {
      if (!this.#isRepeated(length)) continue;
      const sequence = this.#recent.slice(-length);
      // A B A B and B A B A are the same loop.
      const key = JSON.stringify([...new Set(sequence.map((entry) => entry.signature))].sort());
      const isKnown = this.#known.has(key);
      this.#known.add(key);
      return { calls: sequence.map((entry) => entry.call), times: this.#repeats, isKnown };
    }
    return undefined;
  }

  #isRepeated(length: number): boolean {
    const tail = this.#recent.slice(-length * this.#repeats);
    return tail.every((entry, index) => entry.signature === tail[index % length]?.signature);
  }
}

/**
 * A truncated output contains its own handle, so it differs each time. Its full text is compared by blob reference
 * instead.
 */
function resultOf({ state, output, fullOutput }: ToolPart): string {
  return `${state} ${fullOutput ?? JSON.stringify(output)}`;
}
