import { endBefore } from '@longhaul/context/engine';
import type { Tool, ToolContext, ToolResult } from '@longhaul/core';
import { plural } from '@longhaul/core/tool-output';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { TODO_DIALECT, TODO_LIST_DIALECT } from './dialect/command-dialects.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { answerForContext, readTodoContext, type TodoContextInput, tooLongToKeep } from './todo-context.ts';
import { failedResult, textResult } from './tool-result.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'done';

export interface TodoItem {
  text: string;
  status: TodoStatus;
}

export interface TodoInput extends TodoContextInput {
  /** Undefined: the list stays as it is. */
  items?: TodoItem[] | undefined;
  /** How many items were left out because they are cancelled. */
  dropped?: number;
}

const MAX_ITEMS = 200;
const MAX_TEXT_CHARS = 500;
const BOXES: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[>]', done: '[x]' };

/** Other words that models use for the three statuses. */
const STATUS_WORDS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  todo: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  doing: 'in_progress',
  done: 'done',
  completed: 'done',
  complete: 'done',
  finished: 'done',
  resolved: 'done',
  open: 'pending',
  'not-started': 'pending',
  not_started: 'pending',
  blocked: 'pending',
  active: 'in_progress',
  'in progress': 'in_progress',
  started: 'in_progress',
  running: 'in_progress',
};

/** An item with one of these is no longer part of the plan, so the list leaves it out. */
const DROPPED: ReadonlySet<string> = new Set([
  'cancelled',
  'canceled',
  'deleted',
  'skipped',
  'removed',
  'abandoned',
]);

/** Names of the text of an item. */
const TEXT_FIELDS = ['text', 'content', 'task', 'step', 'description', 'title', 'subject', 'name'] as const;

export interface TodoOptions {
  /** Whether the model can keep facts and ask for a compaction. Default true. */
  context?: boolean | undefined;
}

/** Creates the `todo` tool, the agent's plan. Its newest result is the list, so it is never pruned. */
export function createTodoTool({ context: hasContext = true }: TodoOptions = {}): Tool<TodoInput> {
  const dialect = hasContext ? TODO_DIALECT : TODO_LIST_DIALECT;
  return {
    name: 'todo',
    aliases: TODO_DIALECT.names,
    isReadOnly: true,
    isProtected: true,
    schema: {
      name: 'todo',
      description: 'Your plan. `items` replaces the whole list.',
      parameters: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                text: { type: 'string' },
                status: { type: 'string', enum: ['pending', 'in_progress', 'done'] },
              },
              required: ['text', 'status'],
            },
          },
          ...(hasContext && CONTEXT_PARAMETERS),
        },
      },
    },
    parse: (value) =>
      parseInput(value, dialect, (fields): TodoInput => {
        if (isEmpty(value)) return {};
        const forContext = hasContext ? readTodoContext(fields) : {};
        const isForContext = forContext.keep !== undefined || forContext.compact === true;
        if (isForContext && fields.value('items') === undefined) return forContext;
        const items = fields.list('items');
        if (items.length > MAX_ITEMS)
          fields.problem(
            `\`items\` has ${items.length} items, but at most ${MAX_ITEMS} are allowed: merge some.`,
          );
        const given = items.slice(0, MAX_ITEMS);
        const kept = given.flatMap((item, index) => parseItem(item, { index, fields }) ?? []);
        return { items: kept, dropped: given.length - kept.length, ...forContext };
      }),
    async execute(input, context) {
      const tooLong = await tooLongToKeep(input, context);
      if (tooLong !== undefined) return failedResult(tooLong);
      const { lines, metadata } = await answerForContext(input, context);
      const list = await listResult(input, context);
      return {
        ...list,
        // The list is the first part: it alone is shown again later.
        content: [...list.content, ...lines.map((text) => ({ type: 'text', text }) as const)],
        metadata: { ...list.metadata, ...metadata },
      };
    },
  };
}

const CONTEXT_PARAMETERS = {
  keep: {
    type: 'array',
    items: { type: 'string' },
    description: 'Facts to keep word for word in summaries',
  },
  compact: { type: 'boolean', description: 'Phase done: summarise now' },
} as const;

async function listResult(
  { items, dropped = 0 }: TodoInput,
  { todoList }: Pick<ToolContext, 'todoList'>,
): Promise<ToolResult> {
  if (items === undefined) return textResult((await todoList()) ?? EMPTY, { title: 'todo list' });
  const done = items.filter((item) => item.status === 'done').length;
  const facts = {
    title: `${done} of ${items.length} done`,
    metadata: { items: items.map((item) => ({ ...item })) },
  };
  const left = dropped === 0 ? [] : [`(${plural(dropped, 'cancelled item')} left out.)`];
  if (items.length === 0)
    return textResult(dropped === 0 ? EMPTY : ['No items are left.', ...left].join('\n'), facts);
  const lines = [...items.map((item) => `${BOXES[item.status]} ${item.text}`), ...left];
  const inProgress = items.filter((item) => item.status === 'in_progress').length;
  if (inProgress > 1) lines.push(`(${inProgress} items are in progress: work on one at a time.)`);
  return textResult(lines.join('\n'), facts);
}

const EMPTY = 'The todo list is empty.';

/** A call without arguments, such as `TodoRead`. */
function isEmpty(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every((each) => each === null || each === '');
}

/** Reads an item. Undefined: it is no longer part of the plan. */
function parseItem(
  item: JsonValue,
  { index, fields }: { index: number; fields: InputFields },
): TodoItem | undefined {
  if (typeof item === 'string') return { text: onOneLine(item), status: 'pending' };
  const text = isObject(item) ? TEXT_FIELDS.map((name) => item[name]).find(isText) : undefined;
  if (!isObject(item) || text === undefined) {
    fields.problem(`\`items[${index}]\` must be {text, status} with a non-empty text.`);
    return { text: '', status: 'pending' };
  }
  const word = statusWord(item);
  if (DROPPED.has(word)) return undefined;
  const status = Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined;
  if (status === undefined)
    fields.problem(
      `\`items[${index}].status\` must be pending, in_progress or done, got ${JSON.stringify(item['status']).slice(0, 40)}.`,
    );
  return { text: onOneLine(text), status: status ?? 'pending' };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function statusWord({ status, state, completed, done }: JsonObject): string {
  const word = status ?? state;
  if (typeof word === 'string') return word.trim().toLowerCase();
  return completed === true || done === true ? 'done' : word === undefined ? 'pending' : '';
}

/** Puts an item on one line, because the list is read line by line. */
function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_TEXT_CHARS ? line : `${line.slice(0, endBefore(line, MAX_TEXT_CHARS))}…`;
}
