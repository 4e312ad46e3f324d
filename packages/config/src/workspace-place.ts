import type { Environment } from './environment.ts';

/** A workspace and its user: where files are that somebody wrote for the agent, such as skills and commands. */
export interface WorkspacePlace {
  /** Absolute. */
  workspace: string;
  home: string;
  env: Environment;
  /** Whether the files of Claude Code are read too. */
  claude: boolean;
}
