import { type CommandWork, isCheck } from './command-work.ts';
import type { CommandFact } from './ledger-facts.ts';
import type { ToolFacts } from './tool-facts.ts';

/**
 * Returns the facts of a call, with the outcome of a check whose output went through a filter such as `npm test | tail`.
 * Its exit code is the filter's, so what it printed decides. Without a word about it, the outcome is unknown.
 */
export function withPipedOutcome(seen: ToolFacts, work: CommandWork): ToolFacts {
  if (seen.failed || !work.isPiped || !isCheck(work.program)) return seen;
  const { exitCode, ...rest } = seen;
  if (FAILED.test(seen.text)) return { ...rest, failed: true, ended: 'failed' };
  return PASSED.test(seen.text.trim()) ? seen : { ...rest, ended: PIPED_OUTCOME };
}

/** No outcome: the last run of a check with it is not the last check. */
export const PIPED_OUTCOME = 'unknown outcome, as its output was piped';

/** Whether a command is a check whose outcome is known. */
export function isJudgedCheck({ program, ended }: CommandFact): boolean {
  return isCheck(program) && ended !== PIPED_OUTCOME;
}

const FAILED =
  /\b[1-9]\d* (?:failed|failing|failures?)\b|^(?:--- )?FAIL(?:ED)?\b|\berror TS\d+:|^error(?:\[\w+\])?:|^\s*[✖✗✘]\s/im;
const PASSED =
  /^(?:\(?no output\)?)?$|\b[1-9]\d* (?:passed|passing)\b|^ok\b|\bPASS(?:ED)?\b|\b(?:0|no) (?:errors|problems|issues|failures)\b|^\s*[✔✓]\s/im;
