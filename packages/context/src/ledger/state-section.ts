import { outcomeOf } from './command-outcome.ts';
import { isCheck, shortLine } from './command-work.ts';
import { filesText } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import { byChange, isChanged, isHelper, isResult } from './is-changed.ts';
import type { CommandFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { isOlderThanRequest, newestRequest, nextStep } from './next-step.ts';
import { oneLine } from './one-line.ts';
import { openErrors } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';
import { requestExcerpt } from './request-excerpt.ts';
import { todoCounts } from './todo-lines.ts';

type StateFacts = Omit<LedgerFold, 'files'> & { files: ReadonlyMap<string, FileFact> };

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * reported last. Empty if nobody has asked for anything yet.
 */
export function stateLines(facts: StateFacts): string[] {
  if (facts.instructions.length === 0 && facts.commands.size + facts.files.size === 0) return [];
  const changed = [...facts.files.values()].reverse().filter(isChanged).sort(byChange);
  const results = changed.filter(isResult);
  const errors = openErrors(facts);
  const check = checkText(facts, results);
  return [
    `- Done: ${doneText(facts, changed)}`,
    `- Next: ${nextStep({ facts, changed: results, errors })}`,
    `- Broken: ${brokenText(errors)}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...saidLines(facts),
  ];
}

const DONE_CHARS = 240;

/** What the model said last, unless the first line shows all of it. */
function saidLines({ report, turnStart }: StateFacts): string[] {
  if (report === undefined) return [];
  const { sequence, handle, text } = report;
  if (sequence < turnStart)
    return [`- Said last (${handle}, before the request): “${requestExcerpt(text, DONE_CHARS)}”`];
  return text.length <= DONE_CHARS ? [] : [`- Said last (${handle}): “${text}”`];
}

function doneText(facts: StateFacts, all: readonly FileFact[]): string {
  const { todo, done, report, turnStart } = facts;
  const counts = todoCounts(todo);
  // A finished list from before the newest request is not the state of it.
  const isOver = counts.done === counts.all && isOlderThanRequest(facts);
  const commit = done.findLast(({ kind }) => kind === 'commit');
  const results = all.filter(isResult);
  const deleted = all.filter(
    (file) => file.actions.has('deleted') && !file.actions.has('created') && !isHelper(file),
  );
  const asked = sequenceOf(newestRequest(facts.instructions)?.handle ?? 'm0');
  const since = results.filter(({ changed }) => (changed?.sequence ?? 0) > asked);
  const earlier = results.slice(since.length);
  const parts = [
    ...(counts.all === 0 || isOver ? [] : [`${counts.done} of ${counts.all} items of the todo list`]),
    ...(commit === undefined
      ? []
      : [
          `last commit “${commit.text}” (${commit.handle}${commit.sequence < asked ? ', before the request' : ''})`,
        ]),
    ...(since.length === 0 ? [] : [filesText(since)]),
    ...(earlier.length === 0 ? [] : [`before the request: ${filesText(earlier)}`]),
    ...(deleted.length === 0 ? [] : [filesText(deleted, 'deleted')]),
  ];
  return [
    ...(report === undefined || report.sequence < turnStart
      ? []
      : [`“${requestExcerpt(report.text, DONE_CHARS)}” (${report.handle})`]),
    ...(parts.length === 0 ? untouched(facts, all) : parts),
  ].join('; ');
}

function untouched({ files }: StateFacts, scratch: readonly FileFact[]): string[] {
  const read = [...files.values()].filter(({ actions }) => actions.has('read')).length;
  return [
    scratch.length === 0
      ? 'no file is changed so far'
      : `no project source changed, only ${counted(scratch.length, 'helper or temporary file')}`,
    ...(read === 0 ? [] : [`${counted(read, 'file')} read`]),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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

/** The newest tests, and another check after them, which may be unverified. */
function checkText({ commands }: StateFacts, changed: readonly FileFact[]): string {
  const all = [...commands.values()].filter(({ program }) => isCheck(program));
  const newest = all.at(-1);
  if (newest === undefined) return '';
  const judged = all.filter(isJudgedCheck);
  const last = judged.at(-1);
  const tests =
    judged.findLast(({ program }) => /test|spec|jest|mocha|tox|phpunit/i.test(program)) ?? last ?? newest;
  const shown = new Set([tests, last ?? newest, newest]);
  const after = changed.filter((file) => (file.changed?.sequence ?? 0) > newest.lastSequence);
  const since = after.length === 0 ? '; no file changed after it' : `; ${filesText(after)} after it`;
  return `${[...shown].map(checkLine).join(', then ')}${since}`;
}

function checkLine(check: CommandFact): string {
  const counts = check.counts === undefined ? '' : `, ${check.counts}`;
  return `\`${shortLine(check.command, 120)}\` → ${outcomeOf(check)}${counts} (${check.handle})`;
}
