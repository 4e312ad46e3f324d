import { isObject, type JsonValue, type ToolPart } from '@longhaul/protocol';

/** How a tool call is shown. */
export type ToolKind = 'edit' | 'command' | 'results' | 'read' | 'todo' | 'other';

/** Names of this agent's tools, and of the same tools of agents whose sessions can be imported. */
const NAMES: Record<Exclude<ToolKind, 'other'>, string> = {
  edit: 'edit write apply_patch multiedit multi_edit edit_file write_file create_file str_replace str_replace_editor str_replace_based_edit_tool replace',
  command:
    'bash shell shell_command run_shell_command execute_command exec_command execute_bash run_terminal_cmd run_command local_shell terminal exec',
  results: 'grep glob list ls search find search_files list_files list_dir list_directory codebase_search',
  read: 'read read_file view view_file open_file cat view_image',
  todo: 'todo todowrite write_todos update_plan todo_write todoread',
};

const BY_NAME = new Map<string, ToolKind>(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as ToolKind] as const),
  ),
);

export function toolKind(name: string): ToolKind {
  return BY_NAME.get(name.toLowerCase()) ?? 'other';
}

/** The first text among these fields of a value of unknown shape. */
export function textField(value: JsonValue | undefined, ...names: readonly string[]): string | undefined {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const field = value[name];
    if (typeof field === 'string') return field;
  }
  return undefined;
}

export function numberField(value: JsonValue | undefined, name: string): number | undefined {
  const field = isObject(value) ? value[name] : undefined;
  return typeof field === 'number' && Number.isFinite(field) ? field : undefined;
}

/** The shell line of a command. Words of a list are separated by spaces. */
export function commandOf({ input, inputText }: ToolPart): string {
  const words = isObject(input) ? (input['command'] ?? input['cmd']) : undefined;
  if (Array.isArray(words)) return words.map((word) => (typeof word === 'string' ? word : '…')).join(' ');
  return textField(input, 'command', 'cmd', 'script', 'commandLine') ?? inputText ?? '';
}

export function pathOf({ input, metadata }: ToolPart): string | undefined {
  return (
    textField(metadata, 'path') ?? textField(input, 'path', 'file_path', 'filename', 'file', 'target_file')
  );
}
