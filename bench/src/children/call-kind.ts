import { createJudge } from '@longhaul/approvals';
import { isObject, type JsonValue, type ToolPart } from '@longhaul/protocol';
import { READING_RULES } from './reading-rules.ts';

/** What a recorded call does: it reads, it changes nothing and reads nothing (a plan, a wait), or it may change something. */
export type CallKind = 'reads' | 'neutral' | 'acts';

const judge = createJudge(READING_RULES);

const NEUTRAL = /todo|update_plan|^think$|^task(?:create|update|list|get)$|^toolsearch$/;
const READING =
  /^(?:read|view|cat|list|ls|tree|glob|grep|find|search|recall)|search$|^web_?fetch$|^fetch$|_?read_?file/;
const EDITOR = /editor/;
const CALLS_OF_SCRIPT = /tools\.(\w+)\s*\(/g;
const SCRIPTED_COMMAND = /tools\.exec_command\(\s*(\{.*?\})\s*\)/gs;

/**
 * Tells by its name and its arguments what a call of any recorded agent does. A shell line reads if every command in it
 * is one that `READING_RULES` allow. Whatever is in doubt acts.
 */
export async function callKind({ name, input }: Pick<ToolPart, 'name' | 'input'>): Promise<CallKind> {
  const tool = name.toLowerCase();
  const fields = isObject(input) ? input : {};
  if (NEUTRAL.test(tool)) return 'neutral';
  if (tool === 'write_stdin') return isTyped(fields['chars']) ? 'acts' : 'neutral';
  if (EDITOR.test(tool)) return isView(fields) ? 'reads' : 'acts';
  const line = fields['command'] ?? fields['cmd'];
  if (line !== undefined) return kindOfLine(line);
  if (tool === 'exec' && typeof fields['input'] === 'string') return kindOfScript(fields['input']);
  return READING.test(tool) ? 'reads' : 'acts';
}

function isTyped(chars: JsonValue | undefined): boolean {
  return chars !== undefined && chars !== '' && chars !== null;
}

function isView(fields: Record<string, JsonValue>): boolean {
  if (fields['command'] !== undefined) return fields['command'] === 'view';
  return 'view_range' in fields && !('old_str' in fields) && !('file_text' in fields);
}

async function kindOfLine(line: JsonValue): Promise<CallKind> {
  const command = lineOf(line);
  if (command === undefined) return 'acts';
  const call = { toolName: 'bash', input: { command }, workspacePath: '/' };
  return (await judge(call, 'ask')).action === 'allow' ? 'reads' : 'acts';
}

/** Older rollouts have the words of `bash -lc LINE`. */
function lineOf(line: JsonValue): string | undefined {
  if (typeof line === 'string') return line;
  const [shell, flag, text] = Array.isArray(line) ? line : [];
  return typeof shell === 'string' && /sh$/.test(shell) && flag === '-lc' && typeof text === 'string'
    ? text
    : undefined;
}

/** A script of Codex that calls tools. It reads if all its calls run commands that read. */
async function kindOfScript(script: string): Promise<CallKind> {
  const called = [...script.matchAll(CALLS_OF_SCRIPT)].map(([, tool]) => tool);
  const commands = [...script.matchAll(SCRIPTED_COMMAND)].map(([, json = '']) => commandIn(json));
  if (called.length === 0 || called.length !== commands.length) {
    return called.length > 0 && called.every((tool) => tool === 'write_stdin') && isOnlyWaiting(script)
      ? 'neutral'
      : 'acts';
  }
  const kinds = await Promise.all(commands.map((command) => kindOfLine(command ?? null)));
  return kinds.every((kind) => kind === 'reads') ? 'reads' : 'acts';
}

function isOnlyWaiting(script: string): boolean {
  return [...script.matchAll(/\bchars"?\s*:\s*"([^"]*)"/g)].every(([, chars]) => chars === '');
}

function commandIn(json: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    const command = typeof parsed === 'object' && parsed !== null && 'cmd' in parsed ? parsed.cmd : undefined;
    return typeof command === 'string' ? command : undefined;
  } catch (error) {
    // The argument is not a literal in JSON: nobody can say what it runs.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
