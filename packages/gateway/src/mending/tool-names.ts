import { type NameChoice, takeToolName, toToolName } from '@longhaul/models';
import { isToolName } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';

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
  const isFit = (name: string) => isToolName(name) || defined.has(name);
  const unfit = [...used].filter((name) => !isFit(name));
  if (unfit.length === 0) return new Map();
  const taken = new Set([...defined, ...used]);
  const choice: NameChoice = {
    isTaken: (name) => taken.has(name),
    take: (name) => taken.add(name),
    numbers: new Map(),
  };
  return new Map(unfit.map((name) => [name, takeToolName(toToolName(name), choice)]));
}
