import { parseArgs } from 'node:util';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import type { Flag, Flags } from './flags.ts';

type FlagValue<F extends Flag> = F['type'] extends 'string'
  ? F extends { repeatable: true }
    ? string[]
    : string
  : boolean;

export interface ParsedFlags<F extends Flags> {
  values: { [Name in keyof F]?: FlagValue<F[Name]> };
  positionals: string[];
}

/**
 * Parses flags strictly: refuses an unknown flag, a missing value, and a value of a flag that takes none. If a flag is
 * repeated, the last value counts, unless the flag is repeatable.
 *
 * @throws {LonghaulError} `usage`
 */
export function parseFlags<F extends Flags>(
  argv: readonly string[],
  command: string,
  flags: F,
): ParsedFlags<F> {
  const { tokens } = parseArgs({ args: [...argv], options: { ...flags }, strict: false, tokens: true });
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const value = checkedValue(token, command, flags);
    const before = values[token.name];
    values[token.name] =
      flags[token.name]?.repeatable === true && typeof value === 'string'
        ? [...(Array.isArray(before) ? before : []), value]
        : value;
  }
  // Each value was checked against its flag above.
  return { values: values as ParsedFlags<F>['values'], positionals };
}

interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

function checkedValue({ name, rawName, value, inlineValue }: OptionToken, command: string, flags: Flags) {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined) throw unknownFlag(rawName, command, flags);
  if (flag.type === 'boolean') {
    if (value !== undefined) throw usage(`${rawName} takes no value.`, command);
    return true;
  }
  const looksLikeFlag =
    inlineValue !== true && value !== undefined && /^-./.test(value) && !/^-\d/.test(value);
  if (value === undefined || value === '' || looksLikeFlag) throw usage(`${rawName} needs a value.`, command);
  return value;
}

function unknownFlag(rawName: string, command: string, flags: Flags): LonghaulError {
  if (rawName === '--api-key') {
    return usage(
      'There is no --api-key: every user of this machine can read the command line. Set LONGHAUL_API_KEY, or the variable of the provider.',
      command,
    );
  }
  const hint = rawName.startsWith('--')
    ? suggestion(rawName.slice(2), Object.keys(flags), (name) => `--${name}`)
    : '';
  return usage(`Unknown flag ${rawName}.${hint}`, command);
}

export function usage(message: string, command: string): LonghaulError {
  return new LonghaulError('usage', `${message} See: longhaul ${command} --help`.replace('  ', ' '));
}

/** @throws {LonghaulError} `usage` */
export function positiveNumber(
  text: string | undefined,
  flag: string,
  { whole, max = Number.POSITIVE_INFINITY }: { whole: boolean; max?: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replaceAll('_', ''));
  const isRight = Number.isFinite(number) && number > 0 && number <= max;
  if (isRight && (!whole || Number.isInteger(number))) return number;
  throw new LonghaulError(
    'usage',
    `${flag} must be a ${whole ? 'whole number' : 'number'} greater than 0${max === Number.POSITIVE_INFINITY ? '' : ` and at most ${max}`}, not "${text}".`,
  );
}

/** @throws {LonghaulError} `usage` */
export function oneOf<Value extends string>(
  text: string | undefined,
  flag: string,
  allowed: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new LonghaulError(
    'usage',
    `${flag} must be ${allowed.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not "${text}".${suggestion(text, allowed, (value) => value)}`,
  );
}
