import { outcomeOf } from './command-outcome.ts';
import { filesSince, filesText } from './files-text.ts';
import { isCheck } from './is-check.ts';
import type { CommandFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { oneLine } from './one-line.ts';
import { doubtAbout } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';

const ERROR_CHARS = 160;

interface Checked {
  /** Newest first. */
  errors: readonly ErrorFact[];
  /** The results, newest first. */
  changed: readonly FileFact[];
  /** Without those of scripts that the work wrote for itself; the newest one last. */
  checks: readonly CommandFact[];
  commands: LedgerFold['commands'];
}

/**
 * Returns what is broken: a failed check first, as other failures often only explain it. A failure of a file that changed
 * after it comes last, since it may be mended. Without a failure: what the newest check says, and whether it is of today.
 */
export function brokenText({ errors, changed, checks, commands }: Checked): string {
  const known = { changed, commands };
  const rank = (error: ErrorFact) =>
    doubtAbout(error, known) === undefined && error.excused === undefined
      ? Number(!isCheck(error.program ?? ''))
      : 2;
  const [first, ...others] = errors.toSorted((left, right) => rank(left) - rank(right));
  if (first === undefined) return unbrokenText(checks.findLast(isJudgedCheck), changed);
  const more = others.length === 0 ? '' : `; ${others.length} more below`;
  return `${first.call} → ${causeOf(first, ERROR_CHARS)} (${first.handle})${doubtText(first, known)}${more}`;
}

function unbrokenText(check: CommandFact | undefined, changed: readonly FileFact[]): string {
  if (check === undefined)
    return changed.length === 0
      ? 'nothing that is known; no check was run'
      : 'not known: no check was run on the changes';
  const after = filesSince(changed, check.lastSequence);
  if (after.length > 0)
    return `not known: ${filesText(after)} changed since the last check (${check.handle})`;
  return outcomeOf(check) === 'ok'
    ? `nothing; the last check passed (${check.handle})`
    : 'nothing that is known';
}

/** Says that a failure may be over. */
export function doubtText(error: ErrorFact, known: Parameters<typeof doubtAbout>[1]): string {
  const doubt = doubtAbout(error, known);
  const excused = error.excused === undefined ? '' : `; no fault of the work, says ${error.excused}`;
  return doubt === undefined ? excused : `; perhaps mended: ${doubt}`;
}

const BARE_EXIT = /^[^:]{0,9}(?::? ?\d+ completed with )?exit code (-?\d+)\W*$/i;

/** Returns why something failed. */
export function causeOf({ message }: Pick<ErrorFact, 'message'>, maxChars: number): string {
  const code = BARE_EXIT.exec(message)?.[1];
  if (code !== undefined) return `exit code ${code}, and printed no reason`;
  return message === '' ? 'failed, and printed no reason' : oneLine(message, maxChars);
}
