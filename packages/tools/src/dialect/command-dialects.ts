import type { ToolDialect } from './tool-dialect.ts';

export const BASH_DIALECT: ToolDialect = {
  names: [
    'shell',
    'shell_command',
    'run_shell_command',
    'execute_command',
    'exec_command',
    'execute_bash',
    'run_terminal_cmd',
    'run_in_terminal',
    'run_command',
    'local_shell',
    'container.exec',
    'terminal',
    'exec',
    'sh',
    'bash_tool',
  ],
  parameters: {
    command: {
      means: 'a shell line, or a program and its arguments as an array',
      aliases: ['cmd', 'commands', 'script', 'code', 'commandLine', 'shell_command', 'argv', 'input'],
    },
    workdir: {
      means: 'folder in which the command runs',
      aliases: ['cwd', 'directory', 'dir', 'dir_path', 'working_directory', 'workingDir', 'current_dir'],
    },
    keep: { means: 'whether a background command outlives the run', aliases: ['persistent'] },
    background: {
      means: 'whether to return at once',
      aliases: ['run_in_background', 'is_background', 'detach'],
    },
    timeoutMs: {
      means: 'time limit',
      unit: 'milliseconds; a value below 1,000 is seconds',
      aliases: ['timeout', 'timeout_milliseconds'],
      factors: { timeout_seconds: 1_000, timeout_secs: 1_000, timeout_s: 1_000, timeout_minutes: 60_000 },
    },
  },
  silent: [
    'description',
    'explanation',
    'justification',
    'reason',
    'thought',
    'login',
    'shell',
    'requires_approval',
    'with_escalated_permissions',
    'sandbox_permissions',
    'prefix_rule',
    'dangerouslyDisableSandbox',
    'yield_time_ms',
    'max_output_tokens',
    'security_risk',
  ],
};

/** The tool `todo` of a model that has no part in decisions about its context. */
export const TODO_LIST_DIALECT: ToolDialect = {
  names: [
    'TodoWrite',
    'write_todos',
    'update_plan',
    'update_todo_list',
    'manage_todo_list',
    'todo_list',
    'todos',
    'plan',
    'task_tracker',
    'TodoRead',
  ],
  parameters: {
    items: {
      means: 'the whole list',
      aliases: ['todos', 'plan', 'tasks', 'todo_list', 'list', 'steps', 'task_list'],
    },
  },
  silent: ['explanation', 'merge', 'description', 'operation', 'task_progress'],
};

export const TODO_DIALECT: ToolDialect = {
  ...TODO_LIST_DIALECT,
  parameters: {
    ...TODO_LIST_DIALECT.parameters,
    keep: { means: 'facts that a summary keeps word for word', aliases: ['facts', 'keep_facts', 'remember'] },
    compact: { means: 'whether a phase is finished', aliases: ['compact_now', 'compaction'] },
  },
};

export const SKILL_DIALECT: ToolDialect = {
  names: ['activate_skill', 'use_skill', 'load_skill', 'read_skill'],
  parameters: {
    name: { means: 'name of the skill', aliases: ['skill', 'skill_name', 'command'] },
    file: { means: 'a file of its folder', aliases: ['path', 'file_path', 'resource'] },
  },
  silent: ['args', 'arguments', 'reason'],
};

export const SEND_DIALECT: ToolDialect = {
  names: ['send_message', 'SendMessage', 'message_session', 'send_to_session'],
  parameters: {
    session: { means: 'the session that gets it', aliases: ['to', 'recipient', 'session_id', 'target'] },
    message: { means: 'the text', aliases: ['text', 'content', 'body', 'prompt'] },
  },
  silent: ['summary', 'reason', 'description'],
};

export const PROCESS_DIALECT: ToolDialect = {
  names: ['BashOutput', 'TaskOutput', 'write_stdin', 'manage_process'],
  parameters: {
    action: { means: 'list, output, write or kill' },
    handle: {
      means: 'the handle that bash has returned, such as m12.3',
      aliases: ['id', 'bash_id', 'shell_id', 'task_id', 'session_id', 'process_id', 'pid'],
    },
    input: { means: 'text for the standard input', aliases: ['chars', 'stdin', 'data', 'text'] },
    waitFor: { means: 'what to wait for', aliases: ['wait_until', 'until', 'pattern'] },
    timeoutMs: {
      means: 'how long to wait',
      unit: 'milliseconds',
      aliases: ['timeout', 'yield_time_ms', 'timeout_milliseconds'],
      factors: { timeout_seconds: 1_000, timeout_s: 1_000 },
    },
  },
  silent: ['description', 'reason', 'max_output_tokens', 'block'],
};

export const RECALL_DIALECT: ToolDialect = {
  names: ['recall_history', 'search_history'],
  parameters: {
    query: { means: 'words to find', aliases: ['q', 'search', 'words', 'text', 'terms'] },
    handle: { means: 'a handle, such as m12.3', aliases: ['id', 'ref'] },
    from: { means: 'first line', unit: 'line, from 1', aliases: ['offset', 'start', 'start_line'] },
    lines: { means: 'how many lines', unit: 'lines', aliases: ['limit', 'count'] },
  },
};

export const FETCH_DIALECT: ToolDialect = {
  names: [
    'WebFetch',
    'fetch_url',
    'fetch_webpage',
    'read_url',
    'read_web_page',
    'url_fetch',
    'get_url',
    'open_url',
    'browse',
    'visit',
  ],
  parameters: {
    url: { means: 'address of a web page', aliases: ['uri', 'link', 'href', 'address', 'website', 'urls'] },
  },
  silent: ['prompt', 'query', 'format', 'timeout', 'description', 'reason', 'max_length', 'raw'],
};

export const TASK_DIALECT: ToolDialect = {
  names: [
    'agent',
    'subagent',
    'sub_agent',
    'delegate',
    'delegate_task',
    'dispatch_agent',
    'spawn_agent',
    'new_task',
    'run_agent',
    'explore',
  ],
  parameters: {
    prompt: {
      means: 'the whole task',
      aliases: ['task', 'message', 'instructions', 'query', 'input', 'goal'],
    },
    agent: {
      means: 'which agent does it',
      aliases: ['subagent_type', 'agent_type', 'agent_name', 'agentName', 'subagent', 'mode', 'type'],
    },
    model: { means: 'provider/model', aliases: ['model_name'] },
    background: {
      means: 'whether to return at once',
      aliases: ['run_in_background', 'is_background', 'async', 'detach'],
    },
    files: { means: 'own: works in a copy of the files', aliases: ['isolation', 'workspace'] },
    merge: { means: 'handle of a task whose changed files are merged' },
    markers: { means: 'whether texts in conflict get markers' },
    discard: { means: 'handle of a task whose changed files are dropped' },
  },
  silent: ['description', 'title', 'name', 'thoroughness', 'reason', 'explanation'],
};
