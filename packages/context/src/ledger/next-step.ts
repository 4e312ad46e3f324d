import { isAcknowledgement, isThanks } from './acknowledgement.ts';
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
    'instructions' | 'todo' | 'todoHandle' | 'commands' | 'done' | 'lastChange' | 'report'
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
  if (request !== undefined && sequenceOf(request.handle) > Math.max(lastStep, failedAt))
    return answerTo(request, facts.report) ?? `${quoted(request)}; nothing was done since it`;
  const asked = request === undefined ? '' : `, for ${quoted(request)}`;
  if (failed !== undefined && failedAt >= lastStep)
    return `repeat or mend the last step, which failed: ${failed.call} (${failed.handle})${asked}`;
  const check = [...facts.commands.values()].findLast(isJudgedCheck);
  const since = (sequence: number) => changed.filter((file) => (file.changed?.sequence ?? 0) > sequence);
  const unchecked = since(check?.lastSequence ?? 0);
  const uncommitted = since(commit?.sequence ?? 0);
  if (commit !== undefined && uncommitted.length > 0)
    return `${unchecked.length > 0 ? 'check and ' : ''}commit: ${filesText(uncommitted)} since the last commit (${commit.handle})${asked}`;
  if (commit === undefined && unchecked.length > 0) return `check: ${filesText(unchecked)}${asked}`;
  const answer =
    request !== undefined && (facts.report?.sequence ?? 0) > lastStep && answerTo(request, facts.report);
  if (answer) return answer;
  const finished = commit?.handle ?? check?.handle;
  const state = finished === undefined ? '' : `; no file has changed since ${finished}`;
  return `nothing open that is known${state}${request === undefined ? '' : `; compare with ${quoted(request)}`}`;
}

function answerTo(request: InstructionFact, report: LedgerFold['report']): string | undefined {
  if (report === undefined || report.sequence <= sequenceOf(request.handle)) return undefined;
  if (!report.endsTurn) return `go on with ${quoted(request)}`;
  return `nothing open that is known; the model reported in ${report.handle} on ${quoted(request)}`;
}

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
