import type { JsonValue, ToolPart } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';
import { commandOf } from './call-command.ts';
import { type ShellCommand, shellCommands } from './shell-commands.ts';

export type FileAction = 'read' | 'listed' | 'searched' | 'created' | 'modified' | 'deleted' | 'moved';

/** The facts in a tool call, for any tool: read from its name, its arguments and its result. */
export interface ToolFacts {
  path?: string;
  action?: FileAction;
  command?: string;
  /** The commands of the line. */
  commands?: readonly ShellCommand[];
  /** Whether the call only looks at something. Commands say this themselves; see `commandWork`. */
  looks: boolean;
  exitCode?: number;
  /** How the command ended if it did not exit by itself: `timeout`, `aborted` or `failed`. */
  ended?: string;
  failed: boolean;
  /** Whether it failed because the user refused the call. */
  refused: boolean;
  /** Text of the result or of the error. */
  text: string;
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file'] as const;

export function toolFacts(part: ToolPart): ToolFacts {
  const whole = part.output === undefined ? (part.error ?? '') : textOfOutput(part.output);
  const path = stringAt(part.input, PATH_KEYS);
  const command = commandOf(part.input);
  const commands = command === undefined ? undefined : shellCommands(command);
  const failed = part.state !== 'completed';
  const exitCode = command === undefined ? undefined : exitCodeOf(part, whole);
  const text = withoutReport(whole);
  const ended = part.metadata?.['ended'];
  const named = actionOf(part, text);
  return {
    failed: hasFailed(failed, commands, exitCode),
    text,
    path,
    refused: failed && REFUSED.test(whole.slice(0, 400)),
    action: failed || path === undefined ? undefined : named,
    looks: named === 'read' || named === 'listed' || named === 'searched' || /question/i.test(part.name),
    command,
    commands,
    exitCode,
    ended: typeof ended === 'string' && ended !== 'exit' ? ended : undefined,
  };
}

/** What programs write in place of a result that the user did not allow. */
const REFUSED =
  /^Not allowed: |\b(?:user|person|human) (?:doesn't want|does not want|did not want|(?:has |have )?(?:denied|rejected|refused|declined))|\b(?:rejected|denied|refused|declined) by (?:the )?(?:user|person)\b|\boperation cancell?ed\b/i;

function hasFailed(
  failed: boolean,
  commands: readonly ShellCommand[] | undefined,
  exitCode: number | undefined,
): boolean {
  if (exitCode === 1 && commands !== undefined && endsWithTest(commands)) return false;
  return failed || (exitCode !== undefined && exitCode !== 0);
}

/** Whether a command line ends with a search or a test. These exit with 1 if they find nothing. */
function endsWithTest(commands: readonly ShellCommand[]): boolean {
  const [program = '', subcommand = ''] = commands.at(-1)?.words ?? [];
  if (program === 'command') return subcommand === '-v';
  const name = program.slice(program.lastIndexOf('/') + 1);
  return TESTS.has(name) || (name === 'git' && TESTS_OF_GIT.has(subcommand));
}

const TESTS: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg ag ack diff cmp test [ which type pgrep'.split(' '),
);
const TESTS_OF_GIT: ReadonlySet<string> = new Set(['grep', 'diff', 'check-ignore', 'merge-base']);

/** What other agents write before the output of a command. It says nothing about the work. */
const REPORT_LINE =
  /^(?:Command: [^\n]*(?=\nChunk ID: )|Chunk ID: \w+|Wall time:? [\d.]+ (?:seconds|ms)|Process (?:exited with code -?\d+|running with session ID \d+)|Original token count: \d+|Script completed|Exit code \d+|<returncode>-?\d+<\/returncode>|<output>|Output:)[^\S\n]*(?:\n|$)/;

function withoutReport(text: string): string {
  let rest = text;
  for (let line = REPORT_LINE.exec(rest); line !== null; line = REPORT_LINE.exec(rest))
    rest = rest.slice(line[0].length);
  return rest;
}

function stringAt(input: JsonValue, keys: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function actionOf(part: ToolPart, text: string): FileAction | undefined {
  const name = part.name.toLowerCase();
  const editor = /editor/.test(name) ? stringAt(part.input, ['command', 'cmd']) : undefined;
  if (editor !== undefined) return EDITOR_ACTIONS[editor];
  if (/editor/.test(name)) return 'read';
  if (/edit|patch|replace|insert/.test(name)) return 'modified';
  if (/write|create|save/.test(name)) return isOverwrite(part, text) ? 'modified' : 'created';
  if (/delete|remove/.test(name)) return 'deleted';
  if (/list|ls|tree/.test(name)) return 'listed';
  if (/grep|glob|search|find/.test(name)) return 'searched';
  if (/read|view|cat|open|fetch/.test(name)) return 'read';
  return undefined;
}

/** The commands of editors such as `str_replace_editor`. Without a command, they show a file. */
const EDITOR_ACTIONS: Readonly<Record<string, FileAction>> = {
  view: 'read',
  create: 'created',
  write: 'created',
  str_replace: 'modified',
  insert: 'modified',
  undo_edit: 'modified',
};

function isOverwrite(part: ToolPart, text: string): boolean {
  const created = part.metadata?.['created'];
  if (typeof created === 'boolean') return !created;
  return /overwr|updated|replaced/i.test(text.slice(0, 400));
}

function exitCodeOf(part: ToolPart, text: string): number | undefined {
  const recorded = part.metadata?.['exitCode'];
  if (typeof recorded === 'number') return recorded;
  if (part.metadata?.['ended'] !== undefined) return undefined;
  // The command's own exit code comes last. Its output may mention others.
  const stated = [...text.slice(-2_000).matchAll(/exit(?:ed with)?[ _]?(?:code|status)[:= ]+(-?\d+)/gi)].at(
    -1,
  );
  return stated === undefined ? undefined : Number(stated[1]);
}
