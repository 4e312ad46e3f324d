import { splitPath } from './file-paths.ts';
import { isResult } from './is-changed.ts';
import type { FileFact, LedgerFold } from './ledger-facts.ts';

/** A session with more own scripts than this made them for itself. */
const MAX_RESULTS = 3;

/**
 * Marks the scripts that the work wrote and ran itself, in a session that changed other files which existed before it,
 * or that wrote many of them. There they are a means. A single one can be what the user wants.
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
  const changesOld = all.some(
    (file) => file.actions.has('modified') && !file.actions.has('created') && isResult(file),
  );
  if (!changesOld && scripts.size <= MAX_RESULTS) return files;
  return new Map(
    [...files].map(([key, file]) => [key, scripts.has(file) ? { ...file, isHelper: true as const } : file]),
  );
}

/** `python` is the program of `python checks/a.py`, and this is the script: `a.py`. */
export function scriptOf(program: string): string | undefined {
  const [, script] =
    /^(?:python[\d.]*|node|bun|deno|ruby|php|(?:ba|z)?sh|tsx|ts-node) (\S+)$/.exec(program) ?? [];
  return script === undefined ? undefined : splitPath(script).name;
}
