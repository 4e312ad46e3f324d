import { join } from 'node:path';

/** A folder in which an agent keeps its sessions, and how to recognise their files in it. */
export interface AgentPlace {
  agent: string;
  folder: string;
  /** Matches the path of a session below the folder, with `/` as separator. */
  pattern: RegExp;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the standard places of the sessions of each agent, on every operating system. The variables that these agents
 * read for their folders take precedence over the home folder.
 */
export function agentPlaces(env: Environment, home: string): AgentPlace[] {
  return [
    ...claudeFolders(env, home).map((folder) => ({
      agent: 'Claude Code',
      folder: join(folder, 'projects'),
      // Files of subagents are in a folder of their own, or start with `agent-`.
      pattern: /^[^/]+\/(?!agent-)[^/]+\.jsonl$/,
    })),
    ...['sessions', 'archived_sessions'].map((name) => ({
      agent: 'Codex',
      folder: join(env['CODEX_HOME'] || join(home, '.codex'), name),
      pattern: /(?:^|\/)rollout-[^/]+\.jsonl$/,
    })),
    {
      agent: 'OpenCode',
      folder: opencodeFolder(env, home),
      pattern: /^(?:opencode[^/]*\.db|(?:.+\/)?storage\/session\/[^/]+\/[^/]+\.json)$/,
    },
    {
      agent: 'pi',
      folder: join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'sessions'),
      pattern: /\.jsonl$/,
    },
    {
      agent: 'Gemini CLI',
      folder: join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'tmp'),
      pattern: /^[^/]+\/chats\/[^/]+\.jsonl?$/,
    },
    {
      agent: 'Copilot',
      folder: join(env['COPILOT_HOME'] || join(home, '.copilot'), 'session-state'),
      pattern: /^(?:[^/]+\/events|[^/]+)\.jsonl$/,
    },
  ];
}

/** Newer versions of Claude Code on Linux use `~/.config/claude`. The variable can name several folders. */
function claudeFolders(env: Environment, home: string): string[] {
  const configured = (env['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((folder) => folder.trim());
  const named = configured.filter((folder) => folder !== '');
  return named.length > 0 ? named : [join(home, '.claude'), join(home, '.config', 'claude')];
}

/** OpenCode uses the folders of XDG on every system. */
function opencodeFolder(env: Environment, home: string): string {
  return env['OPENCODE_DATA_DIR'] || join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode');
}
