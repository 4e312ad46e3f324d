import { oneLine } from './one-line.ts';
import { type ShellCommand, shellCommands, withoutHereDocuments, withoutPrefix } from './shell-commands.ts';

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

/** Whether a program checks the work, such as a test, a linter or a compiler. */
export function isCheck(program: string): boolean {
  return !program.startsWith('git ') && !MENDING_SCRIPT.test(program) && CHECK.test(program);
}

/** `python fix_location_check.py` */
const MENDING_SCRIPT = /^\w+ \S*?(?:fix|apply|create|patch|update|debug|generate)[-_]/i;

const CHECK =
  /test|check(?!point|out)|lint|build|compile|verify|typecheck|\b(?:tsc|vet|clippy|mypy|ruff|jest|vitest|pytest|tox|make|gradlew?|mvn|rspec|phpunit)\b/i;

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

interface Program {
  program: string;
  kind: CommandWork['kind'];
}

function programOf({ words, writes }: ShellCommand): Program {
  const [name = '', ...others] = withoutPrefix(words);
  const operands = operandsOf(name, others);
  const writesFile = writes.some(({ path }) => !/^\/dev\/|^&/.test(path));
  if (name === 'git') return { program: `git ${operands[0] ?? ''}`, kind: kindOfGit(operands[0] ?? '') };
  if (isEditInPlace(name, others) || EDITS.has(name)) return { program: name, kind: 'edits' };
  if (LOOKS.has(name) || !/\w/.test(name) || DOCUMENT.test(name) || CMDLET.test(name))
    return { program: name, kind: writesFile ? 'edits' : 'looks' };
  if (INTERPRETERS.test(name)) return ofInterpreter(name, others);
  if (others.includes('--help') || (others.every((word) => VERSION_OPTION.test(word)) && others.length > 0))
    return { program: name, kind: 'looks' };
  return { program: withSubcommand(name, operands), kind: 'runs' };
}

/** `git -C FOLDER` and `pnpm --filter PACKAGE` name a place before the subcommand. */
function operandsOf(name: string, words: readonly string[]): string[] {
  return words.filter(
    (word, index) =>
      !word.startsWith('-') && !(FOLDER_OPTIONS.has(name) && PLACE_OPTION.test(words[index - 1] ?? '')),
  );
}

const FOLDER_OPTIONS: ReadonlySet<string> = new Set(['git', 'make', 'pnpm', 'npm']);
const PLACE_OPTION = /^(?:-[CF]|--filter|--prefix|--workspace)$/;

function isEditInPlace(name: string, words: readonly string[]): boolean {
  return (name === 'sed' || name === 'perl') && words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word));
}

const EDITS: ReadonlySet<string> = new Set(
  'rm mv cp mkdir rmdir touch tee chmod ln apply_patch patch'.split(' '),
);
const LOOKS: ReadonlySet<string> = new Set(
  (
    'ls cat head tail sed awk grep egrep fgrep rg ag find fd wc tree stat file du df pwd cd echo printf which type command jq yq sort uniq cut tr ' +
    'diff cmp env printenv date whoami uname ps pgrep lsof test [ [[ true false sleep export set unset source . nl less more bat xxd od strings ' +
    'basename dirname realpath readlink column for while done fi esac case wait kill man history tmux perl md5sum sha256sum ' +
    'goto scroll_up scroll_down exit exit_cost submit'
  ).split(' '),
);
/** The rest of a word with a substitution, such as `$(go list -m)/remote.go`, is no program. */
const DOCUMENT = /@|\.(?:go|md|json|txt|c|h|cpp|java|rs|ya?ml|toml|html|css|tsx)$/;
/** Of PowerShell. */
const CMDLET = /^(?:Get|Select|Where|Test|Measure|Format|ForEach|Sort|Out|Write)-[A-Z]/;
const VERSION_OPTION = /^(?:--?version|-[vV]|--help|-h|version|help)$/;

export const INTERPRETERS = /^(?:python[\d.]*|node|bun|deno|ruby|php|sh|bash|zsh|tsx|ts-node)$/;

/** A program in the line itself, or from the input, tries something. */
function ofInterpreter(name: string, words: readonly string[]): Program {
  const module = words.indexOf('-m');
  if (module !== -1) {
    const program = words[module + 1] ?? name;
    const operands = isCheck(program) ? [] : words.slice(module + 2);
    return { program: withSubcommand(program, operands), kind: 'runs' };
  }
  // `bun test`, `deno task lint`, `node --test`
  if (/^(?:bun|deno)$/.test(name) && OWN_SUBCOMMAND.test(words[0] ?? ''))
    return { program: withSubcommand(name, words), kind: 'runs' };
  if (words.includes('--test')) return { program: `${name} --test`, kind: 'runs' };
  const isInline = words.some((word) => /^(?:-\w*[cep]|--eval|--print|-)$/.test(word));
  const script = words.find((word) => !word.startsWith('-'));
  if (isInline || script === undefined) return { program: name, kind: 'looks' };
  return { program: `${name} ${script}`, kind: 'runs' };
}

const OWN_SUBCOMMAND = /^(?:run|test|x|task|install|add|build|lint|check|fmt)$/;

const RUNNERS: ReadonlySet<string> = new Set(['run', 'exec', 'x', 'dlx', 'run-script']);

/** Operands that look like a path or a package are no subcommand. */
function withSubcommand(name: string, operands: readonly string[]): string {
  const plain = operands.filter((word) => /^[A-Za-z][\w:-]*$/.test(word));
  const count = RUNNERS.has(plain[0] ?? '') ? 2 : 1;
  return [name, ...plain.slice(0, count)].join(' ');
}

const GIT_EDITS: ReadonlySet<string> = new Set(['add', 'commit', 'mv', 'rm', 'restore', 'stash']);
const GIT_RUNS: ReadonlySet<string> = new Set(
  'push pull fetch clone checkout switch merge rebase cherry-pick revert reset tag apply worktree init'.split(
    ' ',
  ),
);

function kindOfGit(subcommand: string): CommandWork['kind'] {
  if (GIT_EDITS.has(subcommand)) return 'edits';
  return GIT_RUNS.has(subcommand) ? 'runs' : 'looks';
}

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
