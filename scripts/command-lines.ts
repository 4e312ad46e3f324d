import type { Flag, Flags } from '../packages/cli/src/command-line/flags.ts';

/** The flags of each command. */
export type CommandFlags = Readonly<Record<string, Flags>>;

/** `RUN_FLAGS`, `PIN_FLAGS`, … of a module as the flags of `run`, `pin`, … */
export function commandFlags(module: Readonly<Record<string, Flags>>): CommandFlags {
  const entries = Object.entries(module).map(([name, flags]) => [
    name
      .replace(/_FLAGS$/, '')
      .toLowerCase()
      .replaceAll('_', '-'),
    flags,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the mistakes in the commands that a page shows in code: a flag of a `longhaul COMMAND …` that the command
 * does not have, and a value that a flag does not take.
 */
export function wrongCommandLines(text: string, commands: CommandFlags): string[] {
  return commandLines(text).flatMap((line) => wrongCommandLine(line, commands));
}

/**
 * Returns the mistakes of a page about every command: a flag in backticks that no command has, a sentence about which
 * commands accept a flag that is not true, and a row about a flag that does not name all its values.
 */
export function wrongReference(text: string, commands: CommandFlags): string[] {
  return [
    ...codeSpans(text).flatMap((span) => wrongLoneFlag(span, commands)),
    ...wrongSentences(text, commands),
    ...missingValues(text, commands),
  ];
}

/**
 * Returns the flags that a page about every command does not name: in the row of the command, its section, or a page
 * that the row links.
 */
export function undocumentedFlags(
  text: string,
  commands: CommandFlags,
  readPage: (path: string) => string,
): string[] {
  return Object.entries(commands).flatMap(([command, flags]) => {
    const about = aboutCommand(text, command, readPage);
    const inAll = sentencesAbout(text, command, Object.keys(commands));
    return Object.keys(flags)
      .filter((flag) => !namesFlag(about, flag) && !inAll.has(flag))
      .map((flag) => `--${flag} of longhaul ${command} is not documented`);
  });
}

/** `longhaul …` in code, up to a pipe, a comment or a redirection, without quoted text. */
function commandLines(text: string): string[][] {
  const code = [...codeSpans(text), ...fencedLines(text)].map((line) =>
    line.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').replace(/\s#.*$/, ''),
  );
  return code.flatMap((line) => {
    const found = [...line.matchAll(/(?:^|[\s(])longhaul ([a-z]+)((?:(?! \| |;|&&| {3}| → ).)*)/g)];
    return found.map(([, command = '', rest = '']) => [
      command,
      ...rest.split(/\s+/).filter((word) => word !== ''),
    ]);
  });
}

function codeSpans(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? '').replaceAll('\\|', '|'));
}

function fencedLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
  return blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
}

function wrongCommandLine([command = '', ...words]: string[], commands: CommandFlags): string[] {
  const flags = commands[command];
  if (flags === undefined) return [];
  const end = words.indexOf('--');
  const shown = end === -1 ? words : words.slice(0, end);
  return shown.flatMap((word, index) => {
    const [, name = '', inline] = /^(--?[a-zA-Z][\w-]*)(?:=(.*))?/.exec(word) ?? [];
    if (name === '' || name === '--help' || name === '-h') return [];
    const flag = flagNamed(name, flags);
    if (flag === undefined) return [`longhaul ${command} has no ${name}`];
    const value = inline ?? shown[index + 1] ?? '';
    return isWrongValue(flag, value)
      ? [`${name} of longhaul ${command} takes ${flag.values?.join(', ')}, not ${value}`]
      : [];
  });
}

function flagNamed(name: string, flags: Flags): Flag | undefined {
  if (name.startsWith('--')) return Object.hasOwn(flags, name.slice(2)) ? flags[name.slice(2)] : undefined;
  return Object.values(flags).find(({ short }) => short === name.slice(1));
}

/** Words in capitals and groups stand for values. */
function isWrongValue({ values, isOpen = false }: Flag, value: string): boolean {
  return values !== undefined && !isOpen && /^[a-z][\w-]*$/.test(value) && !values.includes(value);
}

/** A span such as `--preview` or `--limit N`; `--flag` stands for any. */
function wrongLoneFlag(span: string, commands: CommandFlags): string[] {
  const [, name] = /^--([a-z][\w-]*)(?=$|[ =])/.exec(span) ?? [];
  if (name === undefined || ['help', 'version', 'flag'].includes(name)) return [];
  const isKnown = Object.values(commands).some((flags) => Object.hasOwn(flags, name));
  return isKnown ? [] : [`no command has --${name}`];
}

const SENTENCE =
  /(?:Every command except|Commands?|^|\. |\n(?:- )?)\s*((?:`[a-z]+`(?:,\s+| and |\s+and\s+|\n)*)+)\s*accepts?\s+((?:`[^`]+`(?:, | and |\s)*)+)/g;

interface Sentence {
  isException: boolean;
  named: string[];
  flags: string[];
}

/** `Every command except a accepts --x`, and `a, b and c accept --x`. */
function sentences(text: string): Sentence[] {
  return [...text.matchAll(SENTENCE)].map(([whole, named = '', flags = '']) => ({
    isException: whole.includes('except'),
    named: [...named.matchAll(/`([a-z]+)`/g)].map((match) => match[1] ?? ''),
    flags: [...flags.matchAll(/--([a-z][\w-]*)/g)].map((match) => match[1] ?? ''),
  }));
}

function wrongSentences(text: string, commands: CommandFlags): string[] {
  return sentences(text).flatMap(({ isException, named, flags }) =>
    flags.flatMap((flag) =>
      Object.entries(commands).flatMap(([command, own]) => {
        const isSaid = named.includes(command) !== isException;
        if (isSaid === Object.hasOwn(own, flag)) return [];
        return [`longhaul ${command} ${isSaid ? 'does not accept' : 'accepts'} --${flag}`];
      }),
    ),
  );
}

function sentencesAbout(text: string, command: string, commands: readonly string[]): Set<string> {
  const about = sentences(text).filter(
    ({ isException, named }) => commands.includes(command) && named.includes(command) !== isException,
  );
  return new Set(about.flatMap(({ flags }) => flags));
}

/** A row about a flag with a closed or named set of values names all of them. */
function missingValues(text: string, commands: CommandFlags): string[] {
  const rows = text.split('\n').filter((line) => /^\| (?:`-\w`, )?`--/.test(line));
  return rows.flatMap((row) => {
    const name = /`--([a-z][\w-]*)/.exec(row)?.[1] ?? '';
    const values = Object.values(commands).flatMap((flags) => flags[name]?.values ?? []);
    const missing = [...new Set(values)].filter((value) => !new RegExp(`\\b${value}\\b`).test(row));
    return missing.length === 0 ? [] : [`the row of --${name} does not name ${missing.join(', ')}`];
  });
}

function aboutCommand(text: string, command: string, readPage: (path: string) => string): string {
  const row =
    text
      .split('\n')
      .find((line) => line.startsWith('| ') && namesCommand(line.split(' | ')[0] ?? '', command)) ?? '';
  const sections = text.split(/^(?=## )/m).filter((section) => {
    const heading = section.split('\n')[0] ?? '';
    return heading.startsWith('## `longhaul') && new RegExp(`\\b${command}\\b`).test(heading);
  });
  const pages = [...row.matchAll(/\]\(([\w-]+\.md)/g)].map((match) => readPage(match[1] ?? ''));
  const [, other] = /those of `([a-z]+)`/.exec(row) ?? [];
  const others = other === undefined || other === command ? '' : aboutCommand(text, other, readPage);
  return [row, ...sections, ...pages, others].join('\n');
}

function namesCommand(cell: string, command: string): boolean {
  return new RegExp(`\`(?:longhaul )?${command}[ \`]`).test(cell);
}

function namesFlag(text: string, flag: string): boolean {
  return new RegExp(`--${flag}(?![\\w-])`).test(text);
}
