import { createHash } from 'node:crypto';
import { blobReference, type JsonValue, subtaskOf, type ToolPart } from '@longhaul/protocol';

/** The same calls with the same results this many times in a row are a loop. */
const DEFAULT_REPEATED_CALLS = 3;

/** Most calls in a repeated sequence. A B A B A B is a loop like A A A. */
const MAX_SEQUENCE_CALLS = 30;

export interface Loop {
  /** The calls of one repetition, as `name arguments`. */
  calls: string[];
  /** Number of repetitions in a row. */
  times: number;
  /** The loop was found after an earlier step, so the model has been warned. */
  isKnown: boolean;
}

interface SeenCall {
  call: string;
  /** Hash of the call and its result. */
  signature: string;
}

/**
 * Detects a model in a loop: the same calls with the same results, by default three times in a row. Calls whose results
 * change (polling, tests after an edit) are not a loop. Compactions in between make no difference.
 */
export class LoopWatch {
  readonly #repeats: number;
  #recent: SeenCall[] = [];
  readonly #known = new Set<string>();

  /** @param repeats Null disables the detection. */
  constructor(repeats: number | null = DEFAULT_REPEATED_CALLS) {
    this.#repeats = repeats ?? Number.POSITIVE_INFINITY;
  }

  /** Adds the finished calls of a step. Returns a loop that ends with one of them, or undefined. */
  add(parts: readonly ToolPart[]): Loop | undefined {
    let found: (Loop & { key: string }) | undefined;
    if (this.#repeats === Number.POSITIVE_INFINITY) return found;
    for (const part of parts) {
      this.#recent.push(seenCall(part));
      if (this.#recent.length > this.#repeats * MAX_SEQUENCE_CALLS) this.#recent.shift();
      found = this.#loopAtEnd() ?? found;
    }
    // The model is warned after the step, so its other calls do not count as made in spite of the warning.
    if (found !== undefined) this.#known.add(found.key);
    return found;
  }

  #loopAtEnd(): (Loop & { key: string }) | undefined {
    const longest = Math.min(MAX_SEQUENCE_CALLS, Math.floor(this.#recent.length / this.#repeats));
    for (let length = 1; length <= longest; length += 1) {
      if (!this.#isRepeated(length)) continue;
      const sequence = this.#recent.slice(-length);
      // A B A B and B A B A are the same loop.
      const key = JSON.stringify([...new Set(sequence.map((entry) => entry.signature))].sort());
      const calls = sequence.map((entry) => entry.call);
      return { calls, times: this.#repeats, isKnown: this.#known.has(key), key };
    }
    return undefined;
  }

  #isRepeated(length: number): boolean {
    const start = this.#recent.length - length * this.#repeats;
    for (let index = this.#recent.length - 1; index >= start + length; index -= 1) {
      if (this.#recent[index]?.signature !== this.#recent[index - length]?.signature) return false;
    }
    return true;
  }
}

function seenCall(part: ToolPart): SeenCall {
  const call = `${part.name} ${JSON.stringify(withSortedKeys(part.input))}`;
  const signature = hashOf(`${call}\n${part.inputText ?? ''}\n${part.state} ${resultOf(part)}`);
  return { call, signature };
}

/**
 * A truncated output contains its own handle, so it differs each time, and how much of it is shown depends on the room
 * in the window. Its full text is compared instead, by its blob, also with outputs that were short enough. The result of
 * a child contains the handle of its call.
 */
function resultOf(part: ToolPart): string {
  const { output = [], fullOutput } = part;
  if (fullOutput !== undefined) return fullOutput;
  const shown = output.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
  const text = subtaskOf(part) === undefined ? shown : shown.replace(/\bm\d+\.\d+\b/g, '');
  const media = output.filter((each) => each.type !== 'text');
  return blobReference(hashOf(text)) + (media.length === 0 ? '' : JSON.stringify(media));
}

function withSortedKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withSortedKeys(inner)]));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
