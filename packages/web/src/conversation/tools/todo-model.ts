import { isObject, type JsonValue, type ToolPart } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { textField, toolKind } from './tool-kind.ts';

export interface TodoItem {
  text: string;
  state: 'open' | 'active' | 'done';
}

const ACTIVE = new Set([
  'in_progress',
  'in-progress',
  'in progress',
  'doing',
  'active',
  'started',
  'running',
]);
const DONE = new Set(['done', 'completed', 'complete', 'finished', 'resolved']);

/** The items of a call, as recorded or as its arguments have them. Undefined if it has none. */
export function todoItems({ metadata, input }: ToolPart): readonly TodoItem[] | undefined {
  const given = [metadata?.['items'], fieldsOf(input)].find(Array.isArray);
  if (given === undefined) return undefined;
  return given.flatMap((item: JsonValue): TodoItem[] => {
    const text =
      typeof item === 'string' ? item : textField(item, 'text', 'content', 'step', 'title', 'task');
    if (text === undefined) return [];
    const status = textField(item, 'status', 'state')?.toLowerCase() ?? '';
    return [{ text, state: DONE.has(status) ? 'done' : ACTIVE.has(status) ? 'active' : 'open' }];
  });
}

/** The newest list of a conversation that was not reverted. The same array for the same messages. */
export function newestTodo(messages: readonly ListedMessage[]): readonly TodoItem[] | undefined {
  if (!newest.has(messages)) newest.set(messages, findNewest(messages));
  return newest.get(messages);
}

const newest = new WeakMap<readonly ListedMessage[], readonly TodoItem[] | undefined>();

function findNewest(messages: readonly ListedMessage[]): readonly TodoItem[] | undefined {
  for (const { parts, visibility } of messages.toReversed()) {
    if (visibility.isReverted === true) continue;
    for (const part of parts.toReversed()) {
      if (part.type !== 'tool' || part.state !== 'completed' || toolKind(part.name) !== 'todo') continue;
      const items = todoItems(part);
      if (items !== undefined) return items;
    }
  }
  return undefined;
}

function fieldsOf(input: JsonValue): JsonValue | undefined {
  return isObject(input) ? (input['items'] ?? input['todos'] ?? input['plan']) : undefined;
}
