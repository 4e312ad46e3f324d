import { outcomeOf } from './command-outcome.ts';
import { shortLine } from './command-work.ts';
import { filesText } from './files-text.ts';
import { byChange, isChanged, isHelper, isResult } from './is-changed.ts';
import type { CommandFact, ErrorFact, FileFact, LedgerFold, ReportFact } from './ledger-facts.ts';
import { isOlderThanRequest, nextStep } from './next-step.ts';
import { oneLine } from './one-line.ts';
import { openErrors } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';
import { requestExcerpt } from './request-excerpt.ts';
import { todoCounts } from './todo-lines.ts';

type StateFacts = Omit<LedgerFold, 'files'> & { files: ReadonlyMap<string, FileFact> };

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * reported last, of which the view shows more if it still has the message. Empty if nobody has asked for anything yet.
 *
 * @param visibleFrom The view shows all messages from this sequence on.
 */
export function stateLines(facts: StateFacts, visibleFrom: number): string[] {
  if (facts.instructions.length === 0 && facts.commands.size + facts.files.size === 0) return [];
  const results = [...facts.files.values()].reverse().filter(isChanged).filter(isResult).sort(byChange);
  const errors = openErrors(facts);
  const check = checkText(facts, results);
  const { report } = facts;
  const isOld = ({ sequence }: ReportFact) => sequence < facts.turnStart;
  return [
    `- Done: ${doneText(facts, results)}`,
    `- Next: ${nextStep({ facts, changed: results, errors })}`,
    `- Broken: ${brokenText(errors)}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...(report === undefined
      ? []
      : [
          `- Said last (${report.handle}${isOld(report) ? ', before the request' : ''}): “${saidText(report, visibleFrom)}”`,
        ]),
  ];
}

const VISIBLE_CHARS = 160;

function saidText({ text, sequence }: ReportFact, visibleFrom: number): string {
  return sequence < visibleFrom ? text : requestExcerpt(text, VISIBLE_CHARS);
}

function doneText(facts: StateFacts, changed: readonly FileFact[]): string {
  const { todo, done } = facts;
  const counts = todoCounts(todo);
  // A finished list from before the newest request is not the state of it.
  const isOver = counts.done === counts.all && isOlderThanRequest(facts);
  const commit = done.findLast(({ kind }) => kind === 'commit');
  const parts = [
    ...(counts.all === 0 || isOver ? [] : [`${counts.done} of ${counts.all} items of the todo list`]),
    ...(changed.length === 0 ? [] : [filesText(changed)]),
    ...(commit === undefined ? [] : [`last commit “${commit.text}” (${commit.handle})`]),
  ];
  if (parts.length > 0) return parts.join('; ');
  const read = [...facts.files.values()].filter(({ actions }) => actions.has('read')).length;
  const helpers = [...facts.files.values()].filter((file) => isChanged(file) && isHelper(file)).length;
  return [
    'no file is changed so far',
    ...(helpers === 0 ? [] : [`besides ${helpers} ${helpers === 1 ? 'helper file' : 'helper files'}`]),
    ...(read === 0 ? [] : [`${read} ${read === 1 ? 'file was' : 'files were'} read`]),
  ].join('; ');
}

const ERROR_CHARS = 160;

function brokenText([newest, ...others]: readonly ErrorFact[]): string {
  if (newest === undefined) return 'nothing that is known';
  const more = others.length === 0 ? '' : `; ${others.length} more below`;
  return `${newest.call} → ${causeOf(newest, ERROR_CHARS)} (${newest.handle})${more}`;
}

/** Returns why something failed. */
export function causeOf({ message }: Pick<ErrorFact, 'message'>, maxChars: number): string {
  return message === '' ? 'failed, and printed no reason' : oneLine(message, maxChars);
}

/** The newest tests, and another check after them. */
function checkText({ commands }: StateFacts, changed: readonly FileFact[]): string {
  const checks = [...commands.values()].filter(isJudgedCheck);
  const newest = checks.at(-1);
  if (newest === undefined) return '';
  const tests = checks.findLast(({ program }) => /test|spec|jest|mocha|tox|phpunit/i.test(program)) ?? newest;
  const shown = tests === newest ? [newest] : [tests, newest];
  const after = changed.filter((file) => (file.changed?.sequence ?? 0) > newest.lastSequence);
  const since = after.length === 0 ? '; no file changed after it' : `; ${filesText(after)} after it`;
  return `${shown.map(checkLine).join(', then ')}${since}`;
}

function checkLine(check: CommandFact): string {
  const counts = check.counts === undefined ? '' : `, ${check.counts}`;
  return `\`${shortLine(check.command, 120)}\` → ${outcomeOf(check)}${counts} (${check.handle})`;
}
