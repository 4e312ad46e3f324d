import { type ParsedCommand, type ParsedLine, parseShellLine } from './shell-line.ts';

/** Splits a shell line into its simple commands. */
export type ShellParser = (line: string) => ParsedLine;

/** What a rule's pattern is matched against. */
export interface CommandPiece {
  /** One simple command: its words joined by single spaces, then its output files: `echo x > file`. */
  text: string;
  /** The command as written. Approvals are remembered by it, because quotes can change the meaning (`rm '*'`). */
  source: string;
  /**
   * Ways to read the command, for rules that restrict: as `text`, and without assignments, wrappers (`sudo`, `env`) and
   * the program's folder.
   */
  readings: string[];
  writesFiles: boolean;
  /** If false, no pattern can allow it. */
  isCertain: boolean;
}

/** Returns every simple command of a shell line, including those in arguments of `sh -c` and `eval`. */
export function commandPieces(line: string, parse: ShellParser = parseShellLine): CommandPiece[] {
  return readLine(line, 0, { parse, read: new Set(), chars: MAX_INNER_CHARS });
}

/**
 * The lines inside a line that were read, and how many more characters may be read. Without both, words such as
 * `sudo eval sudo eval …`, where each can begin a command, take exponential time.
 */
interface InnerLines {
  parse: ShellParser;
  read: Set<string>;
  chars: number;
}

function readLine(line: string, depth: number, inner: InnerLines): CommandPiece[] {
  const parsed = inner.parse(line);
  const { commands } = parsed;
  const isCertain = parsed.isCertain && depth < MAX_DEPTH;
  const pieces = commands.flatMap((command) => [
    toPiece(command, isCertain),
    ...(depth < MAX_DEPTH ? innerPieces(command, depth + 1, inner) : []),
  ]);
  if (isCertain && pieces.length > 0) return pieces;
  const text = line.trim();
  return [...pieces, wholeLine(text, isCertain && text === '')];
}

function wholeLine(text: string, isCertain: boolean): CommandPiece {
  return { text, source: text, readings: [text], writesFiles: false, isCertain };
}

/** How deep commands inside commands are read. A deeper line counts as uncertain. */
const MAX_DEPTH = 5;
/** How much text is read as commands inside commands. Everything after it counts as uncertain. */
const MAX_INNER_CHARS = 100_000;
/** How many words after a wrapper are tried as the start of the wrapped command. */
const MAX_WRAPPED = 20;

/** Programs that run the command in their arguments. */
const WRAPPERS = new Set(
  'sudo doas env command builtin exec nohup nice ionice timeout time xargs stdbuf setsid chroot watch parallel find'.split(
    ' ',
  ),
);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'busybox', 'su']);
const NAMES_VARIABLES = new Set(
  'declare export getopts let local mapfile read readarray readonly typeset unset wait'.split(' '),
);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

function toPiece(command: ParsedCommand, isLineCertain: boolean): CommandPiece {
  const { words, writes, inputs, source } = command;
  const redirections = [...inputs.map((input) => `< ${input}`), ...writes.map((target) => `> ${target}`)];
  const text = [...words, ...redirections].join(' ');
  // A program whose name contains a blank would look like another program with arguments.
  const isPlainProgram = !/\s/.test(words[0] ?? '');
  return {
    text,
    source,
    readings: [text, ...readingsOf(words).map((reading) => reading.join(' '))],
    writesFiles: writes.length > 0,
    isCertain: isLineCertain && isPlainProgram && !evaluatesItsWords(command),
  };
}

/**
 * Whether a bash builtin treats a word as a variable name and evaluates its subscript, quoted or not: `printf -v
 * 'a[$(rm x)]'` runs `rm x`. A word that the shell expands can always become one.
 */
function evaluatesItsWords({ words, expands }: ParsedCommand): boolean {
  return readingsOf(words).some(([program = '', ...rest]) => {
    const mayBecome = expands.slice(expands.length - rest.length);
    if (program === 'printf') return /^-/.test(rest[0] ?? '') || mayBecome[0] === true;
    if (program === 'test' || program === '[')
      return rest.some((word, index) => /^-[vR]$/.test(word) || mayBecome[index] === true);
    if (!NAMES_VARIABLES.has(program)) return false;
    return rest.some((word, index) => /[$`[]/.test(word) || mayBecome[index] === true);
  });
}

/** Every way to read the words as a command. Each is an end of the list of words. */
function readingsOf(words: readonly string[]): string[][] {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word));
  const [program = '', ...rest] = start === -1 ? [] : words.slice(start);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const named = [name, ...rest];
  if (!WRAPPERS.has(name)) return [named];
  const wrapped = rest.slice(0, MAX_WRAPPED).map((_, index) => withoutFolder(rest.slice(index)));
  return [named, ...wrapped];
}

function withoutFolder([program = '', ...rest]: readonly string[]): string[] {
  return [program.slice(program.lastIndexOf('/') + 1), ...rest];
}

function innerPieces({ words }: ParsedCommand, depth: number, inner: InnerLines): CommandPiece[] {
  return innerLines(words).flatMap((line) => {
    if (inner.read.has(line)) return [];
    inner.read.add(line);
    inner.chars -= line.length;
    return inner.chars < 0 ? [wholeLine(line, false)] : readLine(line, depth, inner);
  });
}

/** The shell lines among a command's arguments. */
function innerLines(words: readonly string[]): string[] {
  return readingsOf(words).flatMap(([program = '', ...rest]) => {
    if (program === 'eval') return [rest.join(' ')];
    if (!SHELLS.has(program)) return [];
    const flag = rest.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word));
    const script = flag === -1 ? undefined : rest.slice(flag + 1).find((word) => word !== '--');
    return script === undefined ? [] : [script];
  });
}
