import { brokenText } from './broken-text.ts';
import { outcomeOf } from './command-outcome.ts';
import { shortLine } from './command-work.ts';
import { doneText, type StateFacts } from './done-text.ts';
import { filesSince, filesText } from './files-text.ts';
import { helperRuns } from './helper-files.ts';
import { byChange, isChanged, isResult } from './is-changed.ts';
import { isCheck } from './is-check.ts';
import type { CommandFact, FileFact } from './ledger-facts.ts';
import { nextStep } from './next-step.ts';
import { openErrors } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * reported last. Empty if nobody has asked for anything yet.
 */
export function stateLines(facts: StateFacts): string[] {
  if (facts.instructions.length === 0 && facts.commands.size + facts.files.size === 0) return [];
  const isOfHelper = helperRuns(facts.files);
  const checks = [...facts.commands.values()].filter(
    (command) => isCheck(command.program) && !isOfHelper(command),
  );
  const touched = [...facts.files.values()].reverse().filter(isChanged).sort(byChange);
  const changed = touched.filter(isResult);
  const errors = openErrors(facts);
  const check = checkText(checks, errors.length === 0 ? [] : changed);
  return [
    `- Done: ${doneText(facts, touched)}`,
    `- Next: ${nextStep({ facts, changed, errors })}`,
    `- Broken: ${brokenText({ errors, changed, checks, commands: facts.commands })}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...saidLines(facts),
  ];
}

/** What the model said last, unless the first line or the current request shows it. */
function saidLines({ report, results, turnStart, instructions }: StateFacts): string[] {
  if (report === undefined) return [];
  const { sequence, handle, text } = report;
  const isOlder = sequence < turnStart;
  const newest = results.at(-1);
  const isShown = isOlder
    ? instructions.at(-1)?.about !== undefined
    : newest?.text === text || sequence < (newest?.sequence ?? 0);
  return isShown ? [] : [`- Said last (${handle}${isOlder ? ', before the request' : ''}): “${text}”`];
}

/** The newest check with a known outcome, then a newer one without; and after them the files that changed. */
function checkText(all: readonly CommandFact[], changed: readonly FileFact[]): string {
  const tests = all.findLast((check) => isJudgedCheck(check) && TESTS.test(check.program));
  const shown = new Set(
    [tests, all.findLast(isJudgedCheck), all.at(-1)].filter((check) => check !== undefined),
  );
  if (all.length === 0) return '';
  const after = filesSince(changed, all.at(-1)?.lastSequence ?? 0);
  return `${[...shown].map(checkLine).join(', then ')}${after.length === 0 ? '' : `; ${filesText(after)} changed after it`}`;
}

const TESTS = /test|spec|jest/i;

function checkLine(check: CommandFact): string {
  const counts = check.counts === undefined ? '' : `, ${check.counts}`;
  return `\`${shortLine(check.command, 120)}\` → ${outcomeOf(check)}${counts} (${check.handle})`;
}
