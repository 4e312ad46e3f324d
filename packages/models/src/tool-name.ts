const NAME_CHARS = 64;

/** Returns the name in the form that OpenAI, Anthropic and Google accept. Google requires a letter or `_` first. */
export function toToolName(name: string): string {
  const cleaned = name.replace(/[^a-zA-Z0-9_-]+/g, '_');
  const started = /^[a-zA-Z_]/.test(cleaned) ? cleaned : `_${cleaned}`;
  return started.slice(0, NAME_CHARS);
}

/** The start of a name that gets a number: the rest has room for `_` and seven digits. */
const STEM_CHARS = 56;

export interface NameChoice {
  isTaken: (name: string) => boolean;
  take: (name: string) => void;
  /** The next number of each stem: each is tried once, however many names have this stem. */
  numbers: Map<string, number>;
}

/** Takes a name that is free: the given one, or one with a number. */
export function takeToolName(name: string, { isTaken, take, numbers }: NameChoice): string {
  const stem = name.slice(0, STEM_CHARS);
  let free = name;
  while (isTaken(free)) {
    const number = numbers.get(stem) ?? 2;
    numbers.set(stem, number + 1);
    free = `${stem}_${number}`;
  }
  take(free);
  return free;
}
