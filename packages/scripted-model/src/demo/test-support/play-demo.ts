import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChatMessage } from '@longhaul/protocol';
import type { ScriptReply } from '../../script.ts';
import { demoScript } from '../demo-script.ts';
import { DEMO_TASK } from '../task.ts';

const MAX_STEPS = 120;

type Input = Readonly<Record<string, unknown>>;
export interface LoggedCall {
  name: string;
  input: Input;
  result: string;
}

export interface PlayOptions {
  /** Default: never. */
  compactEvery?: number;
  /** Default: the task without children. */
  task?: string;
  /** Which of the children of a step runs first. Default: the first one. */
  order?: 'first' | 'last';
  /** Text that replaces all steps but the last one. Default: a text in the form of a ledger. */
  summary?: (log: readonly LoggedCall[]) => string;
}

export interface PlayResult {
  steps: number;
  /** Characters of the model's replies and the tools' results. */
  chars: number;
  compactions: number;
  log: LoggedCall[];
  /** The children, in the order in which they ran. */
  children: PlayResult[];
  /** Empty if the maximum number of steps was reached. */
  answer: string;
}

interface Tools {
  workspace: string;
  log: LoggedCall[];
  order: 'first' | 'last';
  children: PlayResult[];
}

/** Runs the script in a loop with minimal tools, and compacts after every `compactEvery` steps. */
export async function playDemo(workspace: string, options: PlayOptions = {}): Promise<PlayResult> {
  const { compactEvery = Number.POSITIVE_INFINITY, summary = summarise, order = 'first' } = options;
  const start: ChatMessage[] = [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: options.task ?? DEMO_TASK },
  ];
  let messages = [...start];
  const log: LoggedCall[] = [];
  const children: PlayResult[] = [];
  let steps = 0;
  let chars = 0;
  let compactions = 0;
  for (; steps < MAX_STEPS; steps += 1) {
    const reply = demoScript({ messages, asksForSummary: false });
    chars += JSON.stringify(reply).length;
    if (reply.toolCalls === undefined)
      return { steps, chars, compactions, log, children, answer: reply.text ?? '' };
    const added = await answerCalls(reply, steps, { workspace, log, order, children });
    chars += added.slice(1).reduce((sum, message) => sum + String(message.content).length, 0);
    messages.push(...added);
    if ((steps + 1) % compactEvery === 0) {
      compactions += 1;
      messages = [...start, { role: 'assistant', content: summary(log) }, ...added];
    }
  }
  return { steps, chars, compactions, log, children, answer: '' };
}

async function answerCalls(reply: ScriptReply, step: number, tools: Tools): Promise<ChatMessage[]> {
  const calls = (reply.toolCalls ?? []).map(({ name, arguments: input }, index) => {
    if (typeof input === 'string') throw new TypeError('The script sends arguments as objects');
    return { id: `call_${step}_${index}`, name, input };
  });
  const results = new Map<string, string>();
  const isForChildren = calls.every(({ name }) => name === 'task');
  for (const { id, name, input } of isForChildren && tools.order === 'last' ? calls.toReversed() : calls) {
    const result = await useTool(name, input, tools);
    tools.log.push({ name, input, result });
    results.set(id, result);
  }
  return [
    {
      role: 'assistant',
      content: reply.text ?? '',
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(
      ({ id }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: results.get(id) ?? '' }),
    ),
  ];
}

async function useTool(
  name: string,
  input: Input,
  { workspace, log, children, order }: Tools,
): Promise<string> {
  const path = join(workspace, String(input['path'] ?? '.'));
  switch (name) {
    case 'bash':
      return bash(workspace, String(input['command']));
    case 'list':
      return (await readdir(path)).join('\n') || '(empty)';
    case 'read': {
      const lines = (await readFile(path, 'utf8')).split('\n');
      const start = Number(input['offset'] ?? 1) - 1;
      return lines.slice(start, start + Number(input['limit'] ?? 2000)).join('\n');
    }
    case 'write': {
      const created = !existsSync(path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, String(input['content']));
      return `${created ? 'Created' : 'Overwrote'} ${input['path']}`;
    }
    case 'edit': {
      const pieces = (await readFile(path, 'utf8')).split(String(input['old']));
      if (pieces.length !== 2) return `${input['path']}: \`old\` matches ${pieces.length - 1} times`;
      await writeFile(path, pieces.join(String(input['new'])));
      return `Edited ${input['path']}`;
    }
    case 'grep':
      return runShell(workspace, `grep -rn -- "${input['pattern']}" ${input['path']}`);
    case 'glob':
      return runShell(workspace, 'find . -name "*.js"');
    case 'todo':
      return checklist(input['items']);
    case 'recall':
      return recall(input, log);
    case 'task': {
      const child = await playDemo(workspace, { task: String(input['prompt']), order });
      children.push(child);
      return child.answer;
    }
    default:
      throw new Error(`The script called an unknown tool: ${name}`);
  }
}

const testOutputs = new Map<string, string>();

/** Caches test runs: the same tests over the same files have the same result. */
export async function bash(workspace: string, command: string): Promise<string> {
  if (!command.startsWith('node --test')) return runShell(workspace, command);
  const key = JSON.stringify([
    command,
    await filesOf(join(workspace, 'src')),
    await filesOf(join(workspace, 'test')),
  ]);
  const output = testOutputs.get(key) ?? runShell(workspace, command);
  testOutputs.set(key, output);
  return output;
}

async function filesOf(folder: string): Promise<string[]> {
  const names = existsSync(folder) ? (await readdir(folder)).sort() : [];
  return Promise.all(names.map(async (name) => `${name}\n${await readFile(join(folder, name), 'utf8')}`));
}

function runShell(workspace: string, command: string): string {
  const env = { HOME: workspace, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout, stderr, status } = spawnSync('bash', ['-c', command], {
    cwd: workspace,
    env,
    encoding: 'utf8',
  });
  return `${stdout}${stderr}\n[exit code ${status}]`;
}

function checklist(items: unknown): string {
  if (!Array.isArray(items)) throw new TypeError('A todo list is an array');
  const marks: Record<string, string> = { done: '[x]', in_progress: '[>]', pending: '[ ]' };
  return items.map(({ text, status }) => `${marks[status]} ${text}`).join('\n');
}

function recall(input: Input, log: readonly LoggedCall[]): string {
  const handle = /^m(\d+)\.0$/.exec(String(input['handle'] ?? ''));
  if (handle !== null) return log[Number(handle[1])]?.result ?? 'Nothing found.';
  const hits = log.flatMap((call, index) =>
    call.result.includes('AssertionError') ? [`m${index}.0 (${call.name}): ${call.result.slice(0, 80)}`] : [],
  );
  return hits.join('\n');
}

/** Returns a summary in the form of a ledger: the result of the todo tool, files, and commands with their outcome. */
function summarise(log: readonly LoggedCall[]): string {
  const todo = log.findLast((call) => call.name === 'todo')?.result ?? '';
  const files = new Map<string, Set<string>>();
  for (const { name, input } of log) {
    const action = { read: 'read', write: 'created', edit: 'modified' }[name];
    const path = String(input['path']);
    if (action !== undefined) files.set(path, (files.get(path) ?? new Set()).add(action));
  }
  const commands = log.filter((call) => call.name === 'bash');
  return [
    '### Todo list',
    todo,
    '### Files',
    ...[...files].map(([path, actions]) => `  ${path.split('/').at(-1)} (${[...actions].join(', ')}; m3.1)`),
    '### Commands',
    ...commands.map(
      ({ input, result }) => `- \`${input['command']}\` (exit ${/code (\d+)/.exec(result)?.[1]}, 1×, m3.2)`,
    ),
  ].join('\n');
}
