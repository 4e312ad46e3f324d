import { toToolName } from '@longhaul/models';
import { isRecord } from '../wire/is-record.ts';

/** What servers that check names accept. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;
/** The start of a name that gets a number: the rest has room for `_` and seven digits. */
const STEM_CHARS = 56;

/** Returns the names that a request defines in `tools` and `functions`. Nothing has been checked. */
export function definedNames({ tools, functions }: { tools?: unknown; functions?: unknown }): Set<string> {
  const definitions = [tools, functions].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const names = definitions.filter(isRecord).flatMap((definition) => {
    const { function: called, custom, name } = definition;
    return [name, isRecord(called) && called['name'], isRecord(custom) && custom['name']];
  });
  return new Set(names.filter((name) => typeof name === 'string'));
}

/**
 * Returns the accepted form of each of the `used` names that servers would refuse. No two names get the same form, and
 * none gets a name that is defined or used. Defined names stay.
 */
export function fittedNames(
  used: ReadonlySet<string>,
  defined: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const isFit = (name: string) => ACCEPTED.test(name) || defined.has(name);
  const unfit = [...used].filter((name) => !isFit(name));
  if (unfit.length === 0) return new Map();
  const taken = new Set([...defined, ...used]);
  const numbers = new Map<string, number>();
  return new Map(unfit.map((name) => [name, takeName(toToolName(name), { taken, numbers })]));
}

/** Each number of a stem is tried once, however many names have this stem. */
function takeName(name: string, { taken, numbers }: { taken: Set<string>; numbers: Map<string, number> }) {
  const stem = name.slice(0, STEM_CHARS);
  let free = name;
  while (taken.has(free)) {
    const number = numbers.get(stem) ?? 2;
    numbers.set(stem, number + 1);
    free = `${stem}_${number}`;
  }
  taken.add(free);
  return free;
}
