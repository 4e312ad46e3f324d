import type { JsonValue } from '@longhaul/protocol';

const COMMAND_KEYS = ['command', 'cmd'] as const;

/**
 * Returns the shell command of a call's arguments: a text, a list of words such as `["bash", "-lc", "npm test"]`, or the
 * commands in a script that calls `exec_command`. Undefined for a tool that is not a shell.
 */
export function commandOf(input: JsonValue): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const key of COMMAND_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return isEditorCommand(value, input) ? undefined : value;
    if (Array.isArray(value) && value.length > 0) return ofWords(value);
  }
  const script = input['input'] ?? input['code'];
  return typeof script === 'string' ? ofScript(script) : undefined;
}

/** `{"command": "str_replace", "path": …}` is an editor's, not a shell's. */
function isEditorCommand(command: string, input: { [key: string]: JsonValue }): boolean {
  return typeof input['path'] === 'string' && /^[a-z_]+$/.test(command);
}

function ofWords(words: readonly JsonValue[]): string | undefined {
  const texts = words.filter((word) => typeof word === 'string');
  const script = /^-\w*c$/.test(texts[1] ?? '') ? texts[2] : undefined;
  return script ?? (texts.length === 0 ? undefined : texts.join(' '));
}

const CALL_IN_SCRIPT = /\bexec_command\(\{/g;
const MAX_SCRIPT_CHARS = 100_000;

function ofScript(script: string): string | undefined {
  const text = script.slice(0, MAX_SCRIPT_CHARS);
  const commands: string[] = [];
  for (const { index } of text.matchAll(CALL_IN_SCRIPT)) {
    const found = COMMAND_IN_SCRIPT.exec(text.slice(index, index + MAX_SCRIPT_CHARS));
    const command = found?.[1] === undefined ? undefined : parsedText(found[1]);
    if (command !== undefined) commands.push(command);
  }
  return commands.length === 0 ? undefined : commands.join('; ');
}

const COMMAND_IN_SCRIPT = /^exec_command\(\{[^"]{0,40}"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*")/;

function parsedText(json: string): string | undefined {
  try {
    const value: JsonValue = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
