import type { CommandWork } from './command-work.ts';
import { isCheck } from './is-check.ts';
import type { CommandFact } from './ledger-facts.ts';
import type { ToolFacts } from './tool-facts.ts';

/**
 * Returns the facts of a call, with the outcome of a check that ran no test, or whose output went through a filter such
 * as `npm test | tail`. Its exit code is the filter's, so what it printed decides. Without a word about it, the outcome
 * is unverified.
 */
export function withPipedOutcome(seen: ToolFacts, work: CommandWork): ToolFacts {
  if (seen.failed || !isCheck(work.program)) return seen;
  const { exitCode, ...rest } = seen;
  if (NO_TESTS.test(seen.text) && !PASSED.test(seen.text)) return { ...rest, ended: NOTHING_RAN };
  if (!work.isPiped) return seen;
  if (FAILED.test(seen.text)) return { ...rest, failed: true, ended: 'failed' };
  return PASSED.test(seen.text.trim()) ? seen : { ...rest, ended: PIPED_OUTCOME };
}

/** What is unverified closes no error. */
const PIPED_OUTCOME = 'unverified, as its output was piped';
export const NOTHING_RAN = 'unverified, as no test ran';

export function isUnverified({ ended = '' }: Pick<CommandFact, 'ended'>): boolean {
  return ended.startsWith('unverified');
}

/** Whether a command is a check whose outcome is known. */
export function isJudgedCheck(command: CommandFact): boolean {
  return isCheck(command.program) && !isUnverified(command);
}

const NO_TESTS = /\bno tests? (?:ran|found|to run|files)\b|\bcollected 0 items\b/i;

const FAILED =
  /\b[1-9]\d* (?:failed|failing|failures?)\b|^(?:--- )?FAIL(?:ED)?\b|\berror TS\d+:|^error(?:\[\w+\])?:|^\s*[✖✗✘]\s/im;
const PASSED =
  /(?<![\s\S])(?:\(?no output\)?)?(?![\s\S])|\b[1-9]\d* (?:passed|passing)\b|^ok\b|\bPASS(?:ED)?\b|\b(?:0|no) (?:errors|problems|issues|failures)\b|^\s*[✔✓]\s/im;
