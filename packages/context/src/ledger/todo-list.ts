import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';

/**
 * Returns the todo list that a call has set, one item a line. Undefined for any other call. Longhaul's own tool returns
 * the list first, and then remarks, which are about that call only.
 *
 * @param known The list so far, for tools that change one item. Default: an empty list.
 */
export function todoListOf(part: ToolPart, known = ''): string | undefined {
  if (part.state !== 'completed') return undefined;
  if (part.name === 'todo') return textOfOutput((part.output ?? []).slice(0, 1));
  const tool = part.name.toLowerCase().replaceAll(/[_-]/g, '');
  if (tool === 'taskcreate') return withNewTask(part, known);
  if (tool === 'taskupdate') return withChangedTask(part.input, known);
  if (!TOOLS.has(tool)) return undefined;
  const items = ITEM_KEYS.map((key) => field(part.input, key)).find(Array.isArray);
  return items === undefined ? undefined : items.map(itemLine).filter(isLine).join('\n');
}

/** The todo tools of other agents, whose arguments are the list. */
const TOOLS: ReadonlySet<string> = new Set(['todowrite', 'updateplan', 'writetodos', 'managetodolist']);
const ITEM_KEYS = ['todos', 'plan', 'items', 'todoList'];
const TEXT_KEYS = ['content', 'step', 'description', 'title', 'text'];

/** The marks of Longhaul's own list. */
const MARKS: Readonly<Record<string, string>> = {
  completed: '[x]',
  done: '[x]',
  in_progress: '[>]',
  'in-progress': '[>]',
  cancelled: '[-]',
};

function itemLine(item: JsonValue): string | undefined {
  const text = TEXT_KEYS.map((key) => field(item, key)).find((value) => typeof value === 'string');
  const status = field(item, 'status');
  if (typeof text !== 'string') return undefined;
  const mark = typeof status === 'string' ? MARKS[status] : undefined;
  return `${mark ?? '[ ]'} ${text.replace(/\s+/g, ' ').trim()}`;
}

/** The number of the task is in the result: `Task #3 created successfully: Ask questions`. */
function withNewTask({ input, output }: ToolPart, known: string): string | undefined {
  const number = /#(\w+)/.exec(textOfOutput(output ?? []))?.[1];
  const subject = field(input, 'subject');
  if (number === undefined || typeof subject !== 'string') return undefined;
  const line = `[ ] #${number} ${subject.replace(/\s+/g, ' ').trim()}`;
  return known === '' ? line : `${known}\n${line}`;
}

function withChangedTask(input: JsonValue, known: string): string | undefined {
  const number = field(input, 'taskId');
  const status = field(input, 'status');
  const subject = field(input, 'subject');
  if (typeof number !== 'string') return undefined;
  const lines = known.split('\n').flatMap((line) => {
    const [, mark = '', text = ''] = TASK_LINE.exec(line.replace(` #${number} `, ' \n')) ?? [];
    if (mark === '') return [line];
    if (status === 'deleted') return [];
    const newMark = typeof status === 'string' ? (MARKS[status] ?? '[ ]') : mark;
    return [`${newMark} #${number} ${typeof subject === 'string' ? subject : text}`];
  });
  return lines.join('\n');
}

/** A line of the task, with a line break in place of its number. */
const TASK_LINE = /^(\[.\]) \n(.*)$/;

function isLine(line: string | undefined): line is string {
  return line !== undefined;
}

function field(value: JsonValue, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value[key];
}
