/** A seeded source of choices: the same seed makes the same requests. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  chance(probability: number): boolean;
  /** @throws {RangeError} for an empty list. */
  one<Value>(list: readonly Value[]): Value;
  /** Text of readable characters. */
  text(maxLength: number): string;
}

const CHARACTERS = [...'abcdefghij KLMNOP0123456789-_/.,{}"\\\n', 'ä', '漢', '🙂', '\u202e'];

/** Source: mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const one = <Value>(list: readonly Value[]): Value => {
    const found = list[below(list.length)];
    if (found === undefined) throw new RangeError('There is nothing to choose from.');
    return found;
  };
  return {
    below,
    one,
    chance: (probability) => next() < probability,
    text: (maxLength) => Array.from({ length: below(maxLength) }, () => one(CHARACTERS)).join(''),
  };
}
