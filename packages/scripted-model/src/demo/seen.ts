import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../is-record.ts';
import { textOf } from '../messages.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'done';

export interface SeenCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
  /** Empty if it was cleared from the view. */
  result: string;
}

/** One assistant message with tool calls and their results. */
export interface SeenStep {
  calls: readonly SeenCall[];
}

/**
 * The content of the request's messages. The script knows nothing else, so it repeats work if a compaction loses
 * something important.
 */
export interface Seen {
  /** All text outside tool calls and results: the task, instructions, the summary, and the script's own remarks. */
  prose: string;
  steps: readonly SeenStep[];
  /** Status by item, from the newest visible `todo` call, or else from the checklist in the summary. */
  todo: ReadonlyMap<string, TodoStatus> | undefined;
  /** Steps since the last update of the plan, or all visible steps if that update is not visible. */
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

/** Returns the result of the last visible run of a command. */
export function commandResult(seen: Seen, command: string): string | undefined {
  return callsOf(seen, 'bash').findLast((call) => call.input['command'] === command)?.result;
}

/** Whether the summary lists the file as created, or with `modified`, as changed. */
export function isFileNoted(seen: Seen, path: string, change: 'created' | 'modified'): boolean {
  const name = escapeForRegExp(path.slice(path.lastIndexOf('/') + 1));
  const words = change === 'created' ? 'created|written|modified|edited' : 'modified|edited';
  return new RegExp(`(?<![\\w.-])${name}[^\\w\\n.-][^\\n]*\\b(?:${words})\\b`).test(seen.prose);
}

/** Whether the summary lists the command with its outcome. */
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
    // The agent refused arguments that are not JSON, so the call had no effect.
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

/** Reads the plan from a checklist: `[x] …`, `- [ ] …`, or items below headings such as "Done". */
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
