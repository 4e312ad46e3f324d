import { isAcknowledgement, isThanks } from './acknowledgement.ts';
import { answeredQuestion } from './answered-question.ts';
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
    | 'instructions'
    | 'todo'
    | 'todoHandle'
    | 'commands'
    | 'done'
    | 'lastChange'
    | 'lastCall'
    | 'report'
    | 'said'
    | 'intent'
    | 'tasks'
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
  const asked = request === undefined ? '' : `, for ${quoted(request)}`;
  const requestAt = request === undefined ? 0 : sequenceOf(request.handle);
  const isNew = requestAt > Math.max(lastStep, failedAt);
  if (!isNew && failed !== undefined && failedAt >= lastStep)
    return `repeat or mend the last step, which failed: ${failed.call} (${failed.handle})${asked}`;
  const answered = request === undefined ? '' : `, for the request in ${request.handle}`;
  const said = saidStep(facts, {
    commit: commit?.sequence ?? 0,
    since: Math.max(lastStep, requestAt),
    asked: answered,
  });
  if (said !== undefined) return `${said}${open}`;
  const reported = reportedStep(facts, Math.max(lastStep, requestAt), request);
  if (request !== undefined && isNew) {
    const begun = facts.lastCall > requestAt ? `continue with ${quoted(request)}` : undefined;
    return reported === undefined
      ? (begun ?? `${quoted(request)}; nothing was done since it`)
      : `${reported}${open}`;
  }
  if (commit !== undefined && uncommitted.length > 0)
    return `${unchecked.length > 0 ? 'check and ' : ''}commit: ${filesText(uncommitted)} since the last commit (${commit.handle})${asked}`;
  if (commit === undefined && unchecked.length > 0) return `check: ${filesText(unchecked)}${asked}`;
  if (reported !== undefined) return reported;
  const finished = commit?.handle ?? check?.handle;
  const state = finished === undefined ? '' : `; no file has changed since ${finished}`;
  return `nothing open that is known${state}${request === undefined ? '' : `; compare with ${quoted(request)}`}`;
}

/** What the model waits for, or else what it says last that it wants to do, unless a commit ended that. */
function saidStep(
  { intent, tasks, lastCall, report, said = '' }: Work['facts'],
  { commit, since, asked }: { commit: number; since: number; asked: string },
): string | undefined {
  const isAnswer = report?.endsTurn === true && report.sequence > since && ASKS.test(said);
  const question = isAnswer ? answeredQuestion(said, 'yes') : undefined;
  if (question !== undefined)
    return `wait for the user's answer to “${oneLine(question, REQUEST_CHARS)}” (${report?.handle})`;
  const [handle, task] = [...tasks].at(-1) ?? [];
  if (task !== undefined) return `wait for the result of ${oneLine(task, REQUEST_CHARS)} (${handle})${asked}`;
  if (intent === undefined || intent.sequence <= commit) return undefined;
  return `${intent.sequence > lastCall ? '' : 'continue after '}“${intent.text}” (${intent.handle})${asked}`;
}

/** Returns what follows a report on the request; undefined if there is none. */
function reportedStep(
  { report }: Work['facts'],
  since: number,
  request: InstructionFact | undefined,
): string | undefined {
  if (request === undefined || report === undefined || report.sequence <= since) return undefined;
  return report.endsTurn
    ? `nothing open that is known; the model reported in ${report.handle} on ${quoted(request)}`
    : `continue with ${quoted(request)}`;
}

/** A question at the end, which a remark or options may follow. */
const ASKS = /[?？][^?？]{0,80}$/;

/** Returns the newest message that asks for something. A "yes" asks for what it answers. */
export function newestRequest(instructions: readonly InstructionFact[]): InstructionFact | undefined {
  const newest = instructions.findLast(
    ({ text, answers }) => !isThanks(text) && (answers !== undefined || !isAcknowledgement(text)),
  );
  return newest ?? instructions[0];
}

const REQUEST_CHARS = 160;

function quoted({ text, answers, handle }: InstructionFact): string {
  const question = answers === undefined ? '' : ` to “${oneLine(answers, REQUEST_CHARS)}”`;
  return `“${requestExcerpt(text, REQUEST_CHARS)}”${question} (${handle})`;
}
