import { isCheck } from './is-check.ts';
import { type ShellCommand, withoutPrefix } from './shell-commands.ts';

export interface Program {
  program: string;
  /** See `CommandWork`. */
  kind: 'runs' | 'edits' | 'looks';
}

/** Returns the program of a command, with its subcommand, and what it does for the work. */
export function programOf({ words, writes }: ShellCommand): Program {
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

function kindOfGit(subcommand: string): Program['kind'] {
  if (GIT_EDITS.has(subcommand)) return 'edits';
  return GIT_RUNS.has(subcommand) ? 'runs' : 'looks';
}
