import { oneLine } from './one-line.ts';
import { type ShellCommand, shellCommands, withoutHereDocuments, withoutPrefix } from './shell-commands.ts';
import { programOf } from './shell-program.ts';

/** What a shell line does for the work. */
export interface CommandWork {
  /**
   * `runs` is a program of the project, such as its tests. `edits` only changes files or commits. `looks` reads, or
   * tries something with a program in the line itself.
   */
  kind: 'runs' | 'edits' | 'looks';
  /** The line without what shortens its output. */
  shown: string;
  /** The last program that does the work, with its subcommand: `npm run check`. */
  program: string;
  /** What it was called with, without what precedes it in the line: of a run in another folder too. */
  ran: string;
  /** Its number of words, without `./...`. With more words, a run covers less: `npm test -- one.test.ts`. */
  size: number;
  /** The other programs of a line in which each command runs only if the previous one succeeds. */
  also: readonly Pick<CommandWork, 'program' | 'ran' | 'size'>[];
  /** Whether the exit code is that of a filter such as `grep`, not of the program. */
  isPiped: boolean;
  /** Subjects of the commits that the line makes. */
  commits: readonly string[];
}

export function commandWork(
  line: string,
  commands: readonly ShellCommand[] = shellCommands(line),
): CommandWork {
  const own = line.includes('$(') ? shellCommands(line.replace(SUBSTITUTION, 'VALUE')) : commands;
  const kinds = own.map((command) => ({ ...command, ...programOf(command) }));
  const main =
    kinds.findLast(({ kind }) => kind === 'runs') ??
    kinds.findLast(({ kind }) => kind === 'edits') ??
    kinds.at(-1);
  const plain = line.replace(QUOTED, 'TEXT');
  const isChain = !/[;|\n]/.test(plain);
  return {
    kind: main?.kind ?? 'looks',
    shown: shownLine(line).replace(SHORTENED, ''),
    program: main?.program ?? '',
    ran: ranOf(main?.words),
    size: sizeOf(main?.words),
    also: isChain
      ? kinds
          .filter((command) => command.kind === 'runs' && command !== main)
          .map(({ program, words }) => ({ program, ran: ranOf(words), size: sizeOf(words) }))
      : [],
    isPiped: PIPED.test(plain) && !line.includes('pipefail'),
    commits: kinds.flatMap(({ program, words }) => (program === 'git commit' ? subjectOf(words, line) : [])),
  };
}

function ranOf(words: readonly string[] = []): string {
  return withoutPrefix(words).join(' ');
}

function sizeOf(words: readonly string[] = []): number {
  return withoutPrefix(words).filter((word) => !/^\.(?:\/\.\.\.)?$/.test(word)).length;
}

/** Without contents of files and comments. Each line is a command. */
function shownLine(line: string): string {
  const text = withoutHereDocuments(line).replace(/^[^\S\n]*#[^\n]*(?:\n|$)/gm, '');
  const run = text === line ? text : text.replace(WRITTEN, '');
  return (/\w/.test(run) ? run : text).trim().replace(/\s*\n\s*/g, text === line ? '\n' : '; ');
}

/** `cat > a.py`, after which the content of the file was. */
const WRITTEN = /\bcat[^\S\n]*>>?[^\S\n]*\S+[^\S\n]*(?:&&|;|\n|$)\s*/g;

/** `$(go env GOPATH)`: not a command of the line itself. */
const SUBSTITUTION = /\$\([^()\n]{1,300}\)/g;

/** The end of a line that only shortens or joins its output. */
const SHORTENED =
  /(?:\s*(?:2>&1|\|\s*(?:head|tail)(?:\s+-\S+(?:\s+\d+)?)*|;\s*echo\s+"?[^;|&"]*\$\?"?))+\s*$/;

/**
 * Returns a shell line without the change of folder before it. Of a long one, the last commands are shown, each with its
 * beginning: a failure is mostly of one of these.
 */
export function shortLine(line: string, maxChars: number): string {
  // A quoted text of several lines is one argument.
  const text = shownLine(line.replace(QUOTED, (quoted) => quoted.replace(/\s*\n\s*/g, ' ')))
    .replace(/^cd\s+\S+\s*(?:&&|;)\s*(?=\S)/, '')
    .replace(SHORTENED, '');
  const commands = text.length <= maxChars ? [] : text.split(/\s&&\s|\n/).slice(-MAX_SHOWN);
  if (commands.length < 2) return oneLine(text, maxChars);
  const chars = Math.floor((maxChars + 4) / commands.length) - 4;
  return commands.map((command) => oneLine(command, chars)).join(' && ');
}

const MAX_SHOWN = 3;

/** The program before the last pipe of a line, and a filter after it. */
const PIPED = /[^|]\|&?\s*(?:[ef]?grep|rg|head|tail|sed|awk|cut|sort|uniq|wc|tee|cat|less)\b[^|;&\n]*$/;

const QUOTED = /'[^']*'|"[^"]*"/g;

function subjectOf(words: readonly string[], line: string): string[] {
  const option = words.findIndex((word) => /^-[a-zA-Z]*m$|^--message$/.test(word));
  const joined = words.find((word) => word.startsWith('--message='))?.slice('--message='.length);
  const message = joined ?? (option === -1 ? '' : (words[option + 1] ?? ''));
  // `git commit -m "$(cat <<'EOF' … EOF)"`: what shell lines are read into has no here documents.
  const whole = /^\$\(\s*cat/.test(message) ? (HERE_MESSAGE.exec(line)?.[1] ?? '') : message;
  const subject = whole.trim().split('\n', 1)[0] ?? '';
  return subject === '' ? [] : [subject];
}

const HERE_MESSAGE = /git commit[^\n]*<<-?\s*['"\\]?\w+['"]?\s*\n([^\n]+)/;
