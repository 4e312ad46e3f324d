import { isAcknowledgement, isThanks } from './acknowledgement.ts';
import { answeredQuestion } from './answered-question.ts';
import { outcomeOf } from './command-outcome.ts';
import { filesText } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import type { ErrorFact, FileFact, InstructionFact, LedgerFold } from './ledger-facts.ts';
import { oneLine } from './one-line.ts';
import { isJudgedCheck } from './piped-outcome.ts';
import { requestExcerpt } from './request-excerpt.ts';
import { todoItems } from './todo-lines.ts';

interface Work {
  facts: Pick<
    LedgerFold,
    'instructions' | 'todo' | 'todoHandle' | 'commands' | 'done' | 'lastChange' | 'report' | 'said'
  >;
  /** Newest first. */
  changed: readonly FileFact[];
  /** Newest first. */
  errors: readonly ErrorFact[];
}

const ITEM_CHARS = 160;

/**
 * Returns what to do next: the item of the todo list in progress, or else the step that failed last, or else what has
 * changed since the last commit or check. The newest message of the user that asks for something comes before a todo
 * list that is older, and before work that precedes it.
 */
export function nextStep(work: Work): string {
  const { facts } = work;
  const request = newestRequest(facts.instructions);
  const items = openItems(facts.todo);
  if (items !== undefined && request !== undefined && isOlderThanRequest(facts))
    return `${quoted(request)}; open in the older todo list: ${items}`;
  return items ?? withoutItems(work, request);
}

/** Whether the user has asked for something since the todo list was written. */
export function isOlderThanRequest({
  instructions,
  todoHandle,
}: Pick<LedgerFold, 'instructions' | 'todoHandle'>) {
  const request = newestRequest(instructions);
  if (request === undefined || todoHandle === undefined) return false;
  return sequenceOf(todoHandle) < sequenceOf(request.handle);
}

function openItems(todo: string | undefined): string | undefined {
  const { active, open } = todoItems(todo);
  const items = active.length > 0 ? active : open.slice(0, 1);
  const left = open.length + active.length - items.length;
  if (items.length === 0) return undefined;
  const more = left === 0 ? '' : ` (then ${left} more of the todo list)`;
  return `${items.map((item) => oneLine(item, ITEM_CHARS)).join('; ')}${more}`;
}

function withoutItems({ facts, changed, errors }: Work, request: InstructionFact | undefined): string {
  const [failed] = errors;
  const lastCommand = [...facts.commands.values()].at(-1)?.lastSequence ?? 0;
  const commit = facts.done.findLast(({ kind }) => kind === 'commit');
  const lastStep = Math.max(facts.lastChange, lastCommand, commit?.sequence ?? 0);
  const failedAt = failed === undefined ? 0 : sequenceOf(failed.handle);
  const newest = facts.instructions.at(-1);
  if (newest !== undefined && isThanks(newest.text) && sequenceOf(newest.handle) > lastStep)
    return `nothing open; the user only says thanks (${newest.handle})`;
  const check = [...facts.commands.values()].findLast(isJudgedCheck);
  const since = (sequence: number) => changed.filter((file) => (file.changed?.sequence ?? 0) > sequence);
  const unchecked = since(check?.lastSequence ?? 0);
  const uncommitted = since(commit?.sequence ?? 0);
  const open =
    commit === undefined || uncommitted.length === 0 ? '' : `; not committed: ${filesText(uncommitted)}`;
  if (request !== undefined && sequenceOf(request.handle) > Math.max(lastStep, failedAt))
    return answerTo(request, facts, open) ?? `${quoted(request)}; nothing was done since it`;
  const asked = request === undefined ? '' : `, for ${quoted(request)}`;
  if (failed !== undefined && failedAt >= lastStep)
    return `repeat or mend the last step, which failed: ${failed.call} (${failed.handle})${asked}`;
  if (commit !== undefined && uncommitted.length > 0)
    return `${unchecked.length > 0 ? 'check and ' : ''}commit: ${filesText(uncommitted)} since the last commit (${commit.handle})${asked}`;
  if (commit === undefined && unchecked.length > 0) return `check: ${filesText(unchecked)}${asked}`;
  const answer =
    request !== undefined && (facts.report?.sequence ?? 0) > lastStep && answerTo(request, facts, '');
  if (answer) return answer;
  const finished = commit?.handle ?? check?.handle;
  const state = finished === undefined ? '' : `; no file has changed since ${finished}`;
  return `nothing open that is known${state}${request === undefined ? '' : `; compare with ${quoted(request)}`}`;
}

/** Returns what follows the report on a request; undefined if there is none. */
function answerTo(
  request: InstructionFact,
  { report, said = '', commands, lastChange }: Work['facts'],
  open: string,
): string | undefined {
  if (report === undefined || report.sequence <= sequenceOf(request.handle)) return undefined;
  const check = [...commands.values()].findLast(isJudgedCheck);
  const isChecked = check !== undefined && outcomeOf(check) === 'ok' && check.lastSequence > lastChange;
  if (!report.endsTurn)
    return `${isChecked ? 'finish, after a good last check: ' : 'go on with '}${quoted(request)}`;
  const question = ASKS.test(said) ? answeredQuestion(said, 'yes') : undefined;
  if (question !== undefined)
    return `wait for the user's answer to “${oneLine(question, REQUEST_CHARS)}” (${report.handle})${open}`;
  return `nothing open that is known; the model reported in ${report.handle} on ${quoted(request)}${open}`;
}

/** A question at the end, which a remark or options may follow. */
const ASKS = /[?？][^?？]{0,80}$/;

/** Returns the newest message that asks for something. A "yes" asks for what it answers. */
function newestRequest(instructions: readonly InstructionFact[]): InstructionFact | undefined {
  const newest = instructions.findLast(
    ({ text, answers }) => !isThanks(text) && (answers !== undefined || !isAcknowledgement(text)),
  );
  return newest ?? instructions[0];
}

const REQUEST_CHARS = 100;

function quoted({ text, answers, handle }: InstructionFact): string {
  const question = answers === undefined ? '' : ` to “${oneLine(answers, REQUEST_CHARS)}”`;
  return `“${requestExcerpt(text, REQUEST_CHARS)}”${question} (${handle})`;
}
