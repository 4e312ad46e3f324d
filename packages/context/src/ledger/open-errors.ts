import { outcomeOf } from './command-outcome.ts';
import { splitPath } from './file-paths.ts';
import { filesSince } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import { scriptOf } from './helper-files.ts';
import { isChanged } from './is-changed.ts';
import { isCheck } from './is-check.ts';
import type { ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { isUnverified } from './piped-outcome.ts';

type Failures = Pick<LedgerFold, 'errors' | 'done' | 'turnStart' | 'commands'> & {
  files: ReadonlyMap<string, FileFact>;
};

/**
 * Returns the errors that are still open, newest first, one for each cause. A failed edit is over when the file that it
 * names has changed since. Of a program that is no check, such as `git rebase`, only the newest failure counts, until
 * both a commit and another request follow it. So it is with a check that may be mended. A failed installation or patch is over when a check passes, a failed `git add` with the next commit, and a failure of a
 * script that the work wrote itself when such a script ends well.
 */
export function openErrors({ errors, files, done, turnStart, commands }: Failures): ErrorFact[] {
  const open = [...errors.values()].filter(({ resolved }) => !resolved);
  if (open.length === 0) return [];
  const changed = [...files.values()].filter(isChanged);
  const commit = done.findLast(({ kind }) => kind === 'commit')?.sequence ?? 0;
  const over = Math.min(commit, turnStart);
  const written = new Set(changed.filter(({ actions }) => actions.has('created')).map(nameOf));
  const isOwn = (program = '') => written.has(scriptOf(program) ?? '');
  const good = [...commands.values()].filter((command) => outcomeOf(command) === 'ok');
  const lastOf = (isMeant: (program: string) => boolean) =>
    good.findLast(({ program }) => isMeant(program))?.lastSequence ?? 0;
  const ownEnd = lastOf(isOwn);
  const checkEnd = lastOf(isCheck);
  const causes = new Set<string>();
  return open.reverse().filter((error) => {
    const known = causesOf(error);
    const at = sequenceOf(error.handle);
    if (at < over && (isOfNoCheck(error) || doubtAbout(error, { changed, commands }) !== undefined))
      return false;
    if (error.program === undefined && at < turnStart) return false;
    if (isOwn(error.program) && at < ownEnd) return false;
    if (TRIALS.test(error.program ?? '') && at < checkEnd) return false;
    if (OF_COMMIT.test(error.program ?? '') && at < commit) return false;
    if (known.some((cause) => causes.has(cause))) return false;
    if (EDITS.test(error.program ?? error.toolName) && fileChangedSince(error, changed)) return false;
    for (const cause of known) causes.add(cause);
    return true;
  });
}

/** Installations and patches: a good check shows that another attempt was better. */
const TRIALS = /^\S+ (?:install|add|sync|ci|i)$|^patch$|^git apply$/;
const OF_COMMIT = /^git (?:add|commit)$/;

function nameOf({ path }: FileFact): string {
  return splitPath(path).name;
}

/** A shorter message, such as `exit code 1`, has many causes. */
const MIN_CAUSE_CHARS = 12;

function isOfNoCheck({ program = '' }: ErrorFact): boolean {
  return !isCheck(program);
}

/** Returns what happened after a failure that may have mended it: a change of the file that it names, or an unverified run. */
export function doubtAbout(
  error: ErrorFact,
  { changed, commands }: { changed: readonly FileFact[]; commands: LedgerFold['commands'] },
): string | undefined {
  const file = fileChangedSince(error, changed);
  if (file !== undefined)
    return `${nameOf(file)} changed after it (${file.changed?.handle}), not checked since`;
  const run = [...commands.values()].findLast(
    (command) =>
      command.program === error.program &&
      command.lastSequence > sequenceOf(error.handle) &&
      isUnverified(command),
  );
  return run === undefined ? undefined : `it ran again (${run.handle}), ${run.ended}`;
}

function causesOf({ program, message }: ErrorFact): string[] {
  return [
    ...(program === undefined || isCheck(program) ? [] : [program]),
    ...(message.length < MIN_CAUSE_CHARS ? [] : [message.replace(/ \[[^\]]*\]$/, '')]),
  ];
}

const EDITS = /edit|patch|replace|insert|write|git apply/i;

/** Returns a file that a failure names and that changed after it. */
function fileChangedSince(
  { call, message, handle }: ErrorFact,
  changed: readonly FileFact[],
): FileFact | undefined {
  const text = `${call} ${message}`;
  return filesSince(changed, sequenceOf(handle)).find((file) => text.includes(nameOf(file)));
}
