import { brokenText } from './broken-text.ts';
import { outcomeOf } from './command-outcome.ts';
import { isCheck, shortLine } from './command-work.ts';
import { doneText, type StateFacts } from './done-text.ts';
import { filesSince, filesText } from './files-text.ts';
import { byChange, isChanged, isResult } from './is-changed.ts';
import type { CommandFact, FileFact } from './ledger-facts.ts';
import { nextStep } from './next-step.ts';
import { openErrors } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';
import { requestExcerpt } from './request-excerpt.ts';

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * reported last. Empty if nobody has asked for anything yet.
 */
export function stateLines(facts: StateFacts): string[] {
  if (facts.instructions.length === 0 && facts.commands.size + facts.files.size === 0) return [];
  const all = [...facts.files.values()].reverse().filter(isChanged).sort(byChange);
  const changed = all.filter(isResult);
  const errors = openErrors(facts);
  const check = checkText(facts, facts.commands.size === 0 || errors.length === 0 ? [] : changed);
  return [
    `- Done: ${doneText(facts, all)}`,
    `- Next: ${nextStep({ facts, changed, errors })}`,
    `- Broken: ${brokenText({ errors, changed, commands: facts.commands })}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...saidLines(facts),
  ];
}

const SAID_CHARS = 240;

/** What the model said last, unless the first line shows all of it. */
function saidLines({ report, results, turnStart }: StateFacts): string[] {
  if (report === undefined) return [];
  const { sequence, handle, text } = report;
  if (sequence < turnStart)
    return [`- Said last (${handle}, before the request): “${requestExcerpt(text, SAID_CHARS)}”`];
  const newest = results.at(-1);
  return newest?.text === text || sequence < (newest?.sequence ?? 0)
    ? []
    : [`- Said last (${handle}): “${text}”`];
}

/** The newest check with a known outcome, then a newer one without; and after them the files that changed. */
function checkText({ commands }: StateFacts, changed: readonly FileFact[]): string {
  const all = [...commands.values()].filter(({ program }) => isCheck(program));
  const tests = all.findLast((check) => isJudgedCheck(check) && TESTS.test(check.program));
  const shown = new Set(
    [tests, all.findLast(isJudgedCheck), all.at(-1)].filter((check) => check !== undefined),
  );
  const after = filesSince(changed, all.at(-1)?.lastSequence ?? 0);
  return `${[...shown].map(checkLine).join(', then ')}${after.length === 0 ? '' : `; ${filesText(after)} after it`}`;
}

const TESTS = /test|spec|jest|mocha|tox|phpunit/i;

function checkLine(check: CommandFact): string {
  const counts = check.counts === undefined ? '' : `, ${check.counts}`;
  return `\`${shortLine(check.command, 120)}\` → ${outcomeOf(check)}${counts} (${check.handle})`;
}
