import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../is-record.ts';
import { textOf } from '../messages.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'done';

export interface SeenCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
  /** Empty when it has been cleared from the view. */
  result: string;
}

/** One assistant message that called tools, with what they returned. */
export interface SeenStep {
  calls: readonly SeenCall[];
}

/**
 * What the model can see: nothing but the request's messages. The script knows no more than this, so that it loses its way when a
 * compaction loses what mattered.
 */
export interface Seen {
  /** Everything that is no tool call and no tool's result: the task, instructions, the summary, its own remarks. */
  prose: string;
  steps: readonly SeenStep[];
  /** Status by item, from the newest `todo` call in sight, else from the checklist in the summary. */
  todo: ReadonlyMap<string, TodoStatus> | undefined;
  /** What was done since the plan was last updated; all steps in sight when that update is not. */
  sincePlan: readonly SeenStep[];
}

export function lookAt(messages: readonly ChatMessage[], items: readonly string[]): Seen {
  const prose = messages
    .filter((message) => message.role !== 'tool')
    .map(textOf)
    .join('\n');
  const steps = messages
    .filter((message) => message.tool_calls?.length)
    .map((message) => stepOf(message, messages));
  const planned = steps.findLastIndex((step) => todoIn(step) !== undefined);
  const newest = steps[planned];
  return {
    prose,
    steps,
    todo: newest === undefined ? checklistIn(prose, items) : todoIn(newest),
    sincePlan: steps.slice(Math.max(0, planned)),
  };
}

export function callsOf(seen: Seen, name: string): SeenCall[] {
  return seen.steps.flatMap((step) => step.calls.filter((call) => call.name === name));
}

/** The result of the last such command in sight. */
export function commandResult(seen: Seen, command: string): string | undefined {
  return callsOf(seen, 'bash').findLast((call) => call.input['command'] === command)?.result;
}

/** Whether the summary's list of files says that this one was written, or with `modified` that it was changed. */
export function isFileNoted(seen: Seen, path: string, change: 'created' | 'modified'): boolean {
  const name = escapeForRegExp(path.slice(path.lastIndexOf('/') + 1));
  const words = change === 'created' ? 'created|written|modified|edited' : 'modified|edited';
  return new RegExp(`(?<![\\w.-])${name}[^\\w\\n.-][^\\n]*\\b(?:${words})\\b`).test(seen.prose);
}

/** Whether the summary's list of commands holds this one with its outcome. */
export function isCommandNoted(seen: Seen, command: string): boolean {
  const start = command.replace(/\s+/g, ' ').slice(0, 120);
  return seen.prose.split('\n').some((line) => line.includes(`${start}\``) && /\bexit/i.test(line));
}

function stepOf(message: ChatMessage, messages: readonly ChatMessage[]): SeenStep {
  const calls = (message.tool_calls ?? []).map(({ id, function: call }) => {
    const answer = messages.find((other) => other.role === 'tool' && other.tool_call_id === id);
    const text = textOf(answer);
    const result = text.startsWith('[Old tool result content cleared') ? '' : text;
    return { name: call.name, input: parseObject(call.arguments), result };
  });
  return { calls };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // Arguments that are no JSON were refused by the agent: nothing was done.
    return {};
  }
}

function todoIn(step: SeenStep): Map<string, TodoStatus> | undefined {
  const items = step.calls.findLast((call) => call.name === 'todo')?.input['items'];
  if (!Array.isArray(items)) return undefined;
  const todo = new Map<string, TodoStatus>();
  for (const item of items) {
    if (isRecord(item) && typeof item['text'] === 'string') todo.set(item['text'], statusOf(item['status']));
  }
  return todo;
}

function statusOf(value: unknown): TodoStatus {
  return value === 'done' || value === 'in_progress' ? value : 'pending';
}

/** Reads the plan from a checklist in prose: `[x] …`, `- [ ] …`, or items under headings such as "Done". */
function checklistIn(prose: string, items: readonly string[]): Map<string, TodoStatus> | undefined {
  const todo = new Map<string, TodoStatus>();
  let heading: TodoStatus | undefined;
  for (const line of prose.split('\n')) {
    const item = items.find((text) => line.includes(text));
    if (item === undefined) {
      heading = markIn(line) ?? heading;
      continue;
    }
    const status =
      markIn(line.slice(0, line.indexOf(item))) ?? markIn(line.slice(line.indexOf(item) + item.length));
    const known = status ?? heading;
    if (known !== undefined) todo.set(item, known);
  }
  return todo.size === 0 ? undefined : todo;
}

function markIn(text: string): TodoStatus | undefined {
  if (/\[x\]|[✓✔☑]|\bdone\b/i.test(text)) return 'done';
  if (/\[[>~*\-/.]\]|[▶→◐]|\bdoing\b|in.progress/i.test(text)) return 'in_progress';
  if (/\[ ?\]|[☐○]|\bpending\b|\bnext\b|to do/i.test(text)) return 'pending';
  return undefined;
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
