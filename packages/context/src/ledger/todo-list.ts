import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';

/** Returns the todo list that a call has set, one item a line. Undefined for any other call. */
export function todoListOf(part: ToolPart): string | undefined {
  if (part.state !== 'completed') return undefined;
  if (part.name === 'todo') return textOfOutput(part.output ?? []);
  if (!TOOLS.has(part.name.toLowerCase().replaceAll(/[_-]/g, ''))) return undefined;
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

function isLine(line: string | undefined): line is string {
  return line !== undefined;
}

function field(value: JsonValue, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value[key];
}
