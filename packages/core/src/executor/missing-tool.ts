import { foldName } from '@longhaul/protocol';

/** Tools of other agents that have no equivalent, and what a model can do instead. */
const INSTEAD: readonly { names: readonly string[]; instead: string }[] = [
  {
    names: [
      'fetch',
      'WebFetch',
      'web_fetch',
      'read_url',
      'web_search',
      'google_web_search',
      'browser_action',
      'browser',
      'codesearch',
    ],
    instead: 'There is no browser. If the sandbox has a network, use a command such as curl.',
  },
  {
    names: [
      'Task',
      'Agent',
      'new_task',
      'dispatch_agent',
      'spawn_agent',
      'use_subagents',
      'send_input',
      'wait',
    ],
    instead: 'There are no subagents: do the work yourself.',
  },
  {
    names: [
      'AskUserQuestion',
      'ask_followup_question',
      'ask_user',
      'request_user_input',
      'question',
      'plan_mode_respond',
      'ExitPlanMode',
      'EnterPlanMode',
    ],
    instead:
      'Nobody answers during the run: choose the most sensible meaning, and state it in your final answer.',
  },
  {
    names: ['attempt_completion', 'finish', 'submit', 'complete_task', 'task_complete', 'act_mode_respond'],
    instead: 'To end, write your final answer without a call.',
  },
  {
    names: ['KillShell', 'KillBash', 'TaskStop', 'kill_session', 'Monitor'],
    instead: 'Commands in the background are read and ended with process.',
  },
  {
    names: ['TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
    instead: 'Use todo, which replaces the whole list.',
  },
  {
    names: ['NotebookEdit', 'notebook_edit', 'edit_notebook'],
    instead: 'A notebook is a JSON file: change its source lines as in any other file.',
  },
  {
    names: [
      'use_mcp_tool',
      'access_mcp_resource',
      'list_mcp_resources',
      'list_mcp_resource_templates',
      'read_mcp_resource',
      'ListMcpResourcesTool',
      'ReadMcpResourceTool',
      'ToolSearch',
    ],
    instead: 'There are no MCP servers here.',
  },
  {
    names: ['list_code_definition_names', 'lsp', 'find_symbol', 'get_symbols_overview'],
    instead: 'Search for definitions by pattern.',
  },
  {
    names: ['think', 'thinking', 'sequentialthinking'],
    instead: 'Think in your answer, without a call.',
  },
  {
    names: ['save_memory', 'memory', 'Skill', 'activate_skill', 'SlashCommand', 'load_skill'],
    instead: 'Read and write files of the workspace.',
  },
];

const BY_NAME: ReadonlyMap<string, string> = new Map(
  INSTEAD.flatMap(({ names, instead }) => names.map((name): [string, string] => [foldName(name), instead])),
);

/** Tells a model that a tool does not exist, which ones do, and what to do instead. */
export function describeMissingTool(name: string, available: readonly string[]): string {
  const instead = BY_NAME.get(foldName(name));
  return `There is no tool "${name.slice(0, 100)}". ${instead === undefined ? '' : `${instead} `}Available: ${available.join(', ')}.`;
}
