import { splitPath } from './file-paths.ts';
import { isHelper, isResult } from './is-changed.ts';
import type { CommandFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { INTERPRETERS } from './shell-program.ts';

/** A session with more own scripts than this made them for itself. */
const MAX_RESULTS = 3;

/**
 * Marks the scripts that the work wrote and ran itself, in a session that changed other files which existed before it,
 * or that wrote many of them. There they are a means. A single one can be what the user wants. Files in a temporary
 * folder are a means too if the project is elsewhere.
 */
export function withHelpers(
  files: ReadonlyMap<string, FileFact>,
  commands: LedgerFold['commands'],
): ReadonlyMap<string, FileFact> {
  const names = new Set([...commands.values()].flatMap(({ program }) => scriptOf(program) ?? []));
  const all = [...files.values()];
  const scripts = new Set(
    all.filter(({ path, actions }) => actions.has('created') && names.has(splitPath(path).name)),
  );
  const changesOld = all.some((file) => isOld(file) && isResult(file));
  const isTemporary = ({ path }: FileFact) => TEMPORARY.test(path);
  // A project can be in a temporary folder itself.
  const isElsewhere =
    all.some((file) => !isTemporary(file) && (isOld(file) || file.actions.has('read'))) &&
    !all.some((file) => isTemporary(file) && isOld(file));
  const areScripts = changesOld || scripts.size > MAX_RESULTS;
  const isMeans = (file: FileFact) => (areScripts && scripts.has(file)) || (isElsewhere && isTemporary(file));
  return new Map(
    [...files].map(([key, file]) => [key, isMeans(file) ? { ...file, isHelper: true as const } : file]),
  );
}

const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp\//;

/** Whether a file that existed before the work was changed. */
function isOld({ actions }: FileFact): boolean {
  return actions.has('modified') && !actions.has('created');
}

/** Returns a function that says whether a command runs a script that the work wrote only to run it. */
export function helperRuns(
  files: ReadonlyMap<string, FileFact>,
): (command: Pick<CommandFact, 'program'>) => boolean {
  const helpers = new Set([...files.values()].filter(isHelper).map(({ path }) => splitPath(path).name));
  return ({ program }) => helpers.has(scriptOf(program) ?? '');
}

/** `python` is the program of `python checks/a.py`, and this is the script: `a.py`. */
export function scriptOf(program: string): string | undefined {
  const [name = '', script, more] = program.split(' ');
  return script === undefined || more !== undefined || !INTERPRETERS.test(name)
    ? undefined
    : splitPath(script).name;
}
