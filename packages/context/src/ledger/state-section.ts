import { filesText } from './files-text.ts';
import { byChange, isChanged, isResult } from './is-changed.ts';
import type { CommandFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { noteOf } from './ledger-fold.ts';
import { isOlderThanRequest, nextStep } from './next-step.ts';
import { oneLine } from './one-line.ts';
import { openErrors } from './open-errors.ts';
import { isJudgedCheck } from './piped-outcome.ts';
import { todoCounts } from './todo-lines.ts';

type StateFacts = Omit<LedgerFold, 'files'> & { files: ReadonlyMap<string, FileFact> };

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * said last if the view no longer shows it. Empty if nothing has happened yet.
 *
 * @param visibleFrom The view shows all messages from this sequence on.
 */
export function stateLines(facts: StateFacts, visibleFrom: number): string[] {
  const changed = [...facts.files.values()].reverse().filter(isChanged).sort(byChange);
  const results = changed.filter(isResult);
  const done = doneText(facts, results);
  const errors = openErrors(facts);
  const broken = brokenText(errors);
  const check = checkText(facts, results);
  if (done === '' && broken === '' && check === '' && facts.todo === undefined) return [];
  const said = facts.said !== undefined && facts.said.sequence < visibleFrom ? facts.said : undefined;
  const note = said === undefined ? '' : noteOf(said.beginning);
  return [
    ...(done === '' ? [] : [`- Done: ${done}`]),
    `- Next: ${nextStep({ facts, changed: results, errors })}`,
    `- Broken: ${broken === '' ? 'nothing that is known' : broken}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...(note === '' ? [] : [`- Said last (${said?.handle}): “${note}”`]),
  ];
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
  return parts.join('; ');
}

const ERROR_CHARS = 160;

function brokenText([newest, ...others]: readonly ErrorFact[]): string {
  if (newest === undefined) return '';
  const more = others.length === 0 ? '' : `; ${others.length} more below`;
  const message = newest.message === '' ? 'failed' : oneLine(newest.message, ERROR_CHARS);
  return `${newest.call} → ${message} (${newest.handle})${more}`;
}

function checkText({ commands }: StateFacts, changed: readonly FileFact[]): string {
  const check = [...commands.values()].findLast(isJudgedCheck);
  if (check === undefined) return '';
  const after = changed.filter((file) => (file.changed?.sequence ?? 0) > check.lastSequence);
  const since = after.length === 0 ? '' : `; ${filesText(after)} after it`;
  return `\`${oneLine(check.command, 120)}\` → ${outcomeOf(check)} (${check.handle})${since}`;
}

export function outcomeOf({ exitCode, ended }: Pick<CommandFact, 'exitCode' | 'ended'>): string {
  if (exitCode === 0 || (exitCode === undefined && ended === 'done')) return 'ok';
  return exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
}
