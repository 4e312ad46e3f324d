import { isCheck } from './command-work.ts';
import { isRequest } from './current-request.ts';
import { splitPath } from './file-paths.ts';
import { byChange, isChanged } from './is-changed.ts';
import type { CommandFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { noteOf } from './ledger-fold.ts';
import { oneLine } from './one-line.ts';
import { todoCounts, todoItems } from './todo-lines.ts';

type StateFacts = Omit<LedgerFold, 'files'> & { files: ReadonlyMap<string, FileFact> };

/**
 * Returns what a colleague says first: what is done, what is next, what is broken, the last check, and what the model
 * said last if the view no longer shows it. Empty if nothing has happened yet.
 *
 * @param visibleFrom The view shows all messages from this sequence on.
 */
export function stateLines(facts: StateFacts, visibleFrom: number): string[] {
  const changed = [...facts.files.values()].reverse().filter(isChanged).sort(byChange);
  const done = doneText(facts, changed);
  const broken = brokenText(facts);
  const check = checkText(facts, changed);
  if (done === '' && broken === '' && check === '' && facts.todo === undefined) return [];
  const said = facts.said !== undefined && facts.said.sequence < visibleFrom ? facts.said : undefined;
  const note = said === undefined ? '' : noteOf(said.beginning);
  return [
    ...(done === '' ? [] : [`- Done: ${done}`]),
    `- Next: ${nextText(facts, changed)}`,
    `- Broken: ${broken === '' ? 'nothing that is known' : broken}`,
    ...(check === '' ? [] : [`- Last check: ${check}`]),
    ...(note === '' ? [] : [`- Said last (${said?.handle}): “${note}”`]),
  ];
}

function doneText({ todo, done }: StateFacts, changed: readonly FileFact[]): string {
  const counts = todoCounts(todo);
  const commit = done.findLast(({ kind }) => kind === 'commit');
  const parts = [
    ...(counts.all === 0 ? [] : [`${counts.done} of ${counts.all} items of the todo list`]),
    ...(changed.length === 0 ? [] : [filesText(changed)]),
    ...(commit === undefined ? [] : [`last commit “${commit.text}” (${commit.handle})`]),
  ];
  return parts.join('; ');
}

const NAMED_FILES = 3;

function filesText(files: readonly FileFact[]): string {
  const names = files.slice(0, NAMED_FILES).map(({ path }) => splitPath(path).name);
  return files.length <= NAMED_FILES
    ? `${names.join(', ')} changed`
    : `${files.length} files changed (newest: ${names.join(', ')})`;
}

const ITEM_CHARS = 160;

/** The todo list is the plan. Without an open item, the newest request is next. */
function nextText(facts: StateFacts, changed: readonly FileFact[]): string {
  const { active, open } = todoItems(facts.todo);
  const items = active.length > 0 ? active : open.slice(0, 1);
  const left = open.length + active.length - items.length;
  const more = left === 0 ? '' : ` (then ${left} more of the todo list)`;
  if (items.length > 0) return `${items.map((item) => oneLine(item, ITEM_CHARS)).join('; ')}${more}`;
  const request = facts.instructions.findLast(isRequest) ?? facts.instructions[0];
  if (request === undefined) return 'not known';
  const since = changed.filter((file) => (file.changed?.sequence ?? 0) > sequenceOf(request.handle));
  const state = since.length === 0 ? 'no file has changed since it' : `${filesText(since)} since it`;
  return `the current request (${request.handle}); ${state}`;
}

function sequenceOf(handle: string): number {
  return Number.parseInt(handle.slice(1), 10);
}

function brokenText({ errors }: StateFacts): string {
  const open = [...errors.values()].filter(({ resolved }) => !resolved);
  const newest = open.at(-1);
  if (newest === undefined) return '';
  const more = open.length === 1 ? '' : `; ${open.length - 1} more below`;
  const message = newest.message === '' ? 'failed' : oneLine(newest.message, ITEM_CHARS);
  return `${oneLine(newest.call, 80)} → ${message} (${newest.handle})${more}`;
}

function checkText({ commands }: StateFacts, changed: readonly FileFact[]): string {
  const check = [...commands.values()].findLast(({ program }) => isCheck(program));
  if (check === undefined) return '';
  const after = changed.filter((file) => (file.changed?.sequence ?? 0) > check.lastSequence);
  const since = after.length === 0 ? '' : `; ${filesText(after)} after it`;
  return `\`${oneLine(check.command, 120)}\` → ${outcomeOf(check)} (${check.handle})${since}`;
}

export function outcomeOf({ exitCode, ended }: Pick<CommandFact, 'exitCode' | 'ended'>): string {
  return exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
}
