import { isAcknowledgement, isThanks } from './acknowledgement.ts';
import { filesText } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import type { InstructionFact, LedgerFold } from './ledger-facts.ts';
import { NEXT_RULES } from './next-rules.ts';
import { type Situation, situationOf, type Work } from './next-situation.ts';
import { oneLine } from './one-line.ts';
import { todoItems } from './todo-lines.ts';

const ITEM_CHARS = 160;

/**
 * Returns what to do next: the item of the todo list in progress, or else what the first rule says that fits. The newest
 * message of the user that asks for something comes before a todo list that is older.
 */
export function nextStep(work: Work): string {
  const situation = situationOf(work, newestRequest(work.facts.instructions));
  const items = openItems(work.facts.todo);
  if (items !== undefined && !isOlderThanRequest(work.facts)) return `${items}${begunText(situation)}`;
  const step = NEXT_RULES.map((rule) => rule(situation)).find((text) => text !== undefined);
  return `${step}${items === undefined ? '' : `; open in the older todo list: ${items}`}`;
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

/** Returns the newest message that asks for something. A "yes" asks for what it answers. */
export function newestRequest(instructions: readonly InstructionFact[]): InstructionFact | undefined {
  const newest = instructions.findLast(
    ({ text, answers }) => !isThanks(text) && (answers !== undefined || !isAcknowledgement(text)),
  );
  return newest ?? instructions[0];
}

function openItems(todo: string | undefined): string | undefined {
  const { active, open } = todoItems(todo);
  const items = active.length > 0 ? active : open.slice(0, 1);
  const left = open.length + active.length - items.length;
  if (items.length === 0) return undefined;
  const more = left === 0 ? '' : ` (then ${left} more of the todo list)`;
  return `${items.map((item) => oneLine(item, ITEM_CHARS)).join('; ')}${more}`;
}

/** What changed since the list was written belongs to the item in progress. */
function begunText({ facts, since }: Situation): string {
  const changed = since(sequenceOf(facts.todoHandle ?? 'm0'));
  return changed.length === 0 ? '' : `; begun: ${filesText(changed)} changed since the list was written`;
}
