import type { ApprovalRule } from '@longhaul/approvals';

/** Programs that print what they find, unless one of their arguments is in `CHANGING`. */
const PROGRAMS =
  'ag awk basename cat cd cmp column comm cut date df diff dirname du echo egrep false fd fgrep file find grep head hexdump id jq ls nl od printenv printf ps pwd readlink realpath rg sed sort stat strings tail test tr tree true type uname uniq wc which xxd [';

const OF_GIT =
  'blame cat-file describe diff grep log ls-files ls-remote ls-tree merge-base reflog rev-list rev-parse shortlog show status';

const OF_GITHUB = 'issue pr release repo run workflow';

/** The commands with which SWE-agent looks at files. */
const OF_SWE_AGENT = 'open goto scroll_up scroll_down search_dir search_file find_file';

/** Arguments with which these programs write files or start other programs. A later rule wins. */
const CHANGING = [
  'awk *system(*',
  'awk *>*',
  'fd *-x *',
  'find *-delete*',
  'find *-exec*',
  'find *-fprint*',
  'find *-ok*',
  'git * --output*',
  'sed -Ei*',
  'sed -ni*',
  'sed -i*',
  'sed * -i*',
  'sed *--in-place*',
  'sort -o*',
  'sort * -o*',
  'tree * -o *',
];

/** What `find` and `xargs` may start. */
const STARTED = 'cat egrep file grep head ls rg sed stat tail wc';

const words = (text: string) => text.split(' ');
const rules = (commands: readonly string[], action: ApprovalRule['action']) =>
  commands.map((command): ApprovalRule => ({ tool: 'bash', command, action }));

/** Allows the simple commands that only read. Whatever these rules do not name can change something. */
export const READING_RULES: readonly ApprovalRule[] = [
  { tool: 'bash', action: 'ask' },
  ...rules(
    [
      ...words(PROGRAMS).map((program) => `${program} *`),
      ...words(OF_SWE_AGENT).map((program) => `${program} *`),
      ...words(OF_GIT).flatMap((name) => [`git ${name} *`, `git -C * ${name} *`, `git --no-pager ${name} *`]),
      'git branch',
      ...words('-a --all -r -v -vv --list --show-current --contains').map((flag) => `git branch ${flag} *`),
      'git remote -v',
      ...words(OF_GITHUB).flatMap((name) =>
        words('view list diff checks status').map((verb) => `gh ${name} ${verb} *`),
      ),
      ...words(STARTED).flatMap((program) => [`xargs ${program} *`, `xargs -* ${program} *`]),
    ],
    'allow',
  ),
  ...rules(CHANGING, 'ask'),
  ...rules(
    words(STARTED)
      .filter((program) => program !== 'sed')
      .map((program) => `find * -exec ${program} *`),
    'allow',
  ),
];
