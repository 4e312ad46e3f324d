import type { HookContext, HookEvent, HookName } from '@longhaul/core';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/** The events of Claude Code that happen at the same moments. */
const EVENT_NAMES: Readonly<Record<HookName, string>> = {
  'session.start': 'SessionStart',
  'prompt.submit': 'UserPromptSubmit',
  'tool.before': 'PreToolUse',
  'tool.after': 'PostToolUse',
  'compaction.before': 'PreCompact',
  'compaction.after': 'PostCompact',
  'run.end': 'Stop',
};

/** The names of tools in Claude Code. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
  bash: 'Bash',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  list: 'LS',
  glob: 'Glob',
  grep: 'Grep',
  todo: 'TodoWrite',
  skill: 'Skill',
  fetch: 'WebFetch',
};
const FILE_TOOLS: ReadonlySet<string> = new Set(['read', 'write', 'edit']);

/** Returns the name by which hooks of Claude Code know a tool. */
export function claudeToolName(toolName: string): string {
  return TOOL_NAMES[toolName] ?? toolName;
}

/**
 * Returns what a hook gets on standard input: the fields of Claude Code's hooks, and `longhaul` with those of Longhaul.
 */
export function hookPayload(event: HookEvent, { session, sandbox }: HookContext): JsonObject {
  return {
    session_id: session.id,
    transcript_path: '',
    cwd: sandbox.workspacePath,
    permission_mode: 'default',
    hook_event_name: EVENT_NAMES[event.on],
    ...fieldsOf(event),
    longhaul: { ...event },
  };
}

function fieldsOf(event: HookEvent): JsonObject {
  switch (event.on) {
    case 'session.start':
      return { source: 'startup' };
    case 'prompt.submit':
      return { prompt: event.prompt };
    case 'tool.before':
      return toolFields(event);
    case 'tool.after':
      return { ...toolFields(event), tool_response: responseOf(event) };
    case 'compaction.before':
    case 'compaction.after':
      return { trigger: event.reason === 'manual' ? 'manual' : 'auto', custom_instructions: '' };
    case 'run.end':
      return { stop_hook_active: event.isContinued, last_assistant_message: event.answer };
  }
}

interface ToolFields {
  toolName: string;
  callId: string;
  input: JsonValue;
}

function toolFields({ toolName, callId, input }: ToolFields): JsonObject {
  return {
    tool_name: claudeToolName(toolName),
    tool_input: claudeInput(toolName, input),
    tool_use_id: callId,
  };
}

/** The tools read these names too, so that a hook can return what it got. */
function claudeInput(toolName: string, input: JsonValue): JsonValue {
  if (!isObject(input)) return input;
  if (toolName === 'bash') {
    const { timeoutMs, ...rest } = input;
    return timeoutMs === undefined ? rest : { ...rest, timeout: timeoutMs };
  }
  if (!FILE_TOOLS.has(toolName)) return input;
  const { path, edits, ...rest } = input;
  const file = { ...rest, ...(path === undefined ? {} : { file_path: path }) };
  const [only, ...others] = Array.isArray(edits) ? edits : [];
  if (!isObject(only)) return file;
  if (others.length > 0) return { ...file, edits: edits ?? [] };
  const { old, new: next, ...more } = only;
  return { ...file, ...more, old_string: old ?? '', new_string: next ?? '' };
}

function responseOf({
  toolName,
  output,
  isError,
}: {
  toolName: string;
  output: string;
  isError: boolean;
}): JsonObject {
  return toolName === 'bash'
    ? { stdout: output, stderr: '', interrupted: false, isError }
    : { content: output, success: !isError };
}
