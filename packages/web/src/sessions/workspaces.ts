import type { SessionInfo } from '@longhaul/protocol/api';

/** The workspaces of sessions, each once, in the order of their names. */
export function workspacesOf(sessions: readonly Pick<SessionInfo, 'workspace'>[]): readonly string[] {
  return [...new Set(sessions.map(({ workspace }) => workspace))].sort((a, b) => a.localeCompare(b));
}

/** Whether a session works in a folder or below it. The empty folder means all. */
export function inWorkspace({ workspace }: Pick<SessionInfo, 'workspace'>, folder: string): boolean {
  if (folder === '' || workspace === folder) return true;
  return workspace.startsWith(folder) && /[/\\]/.test(workspace.charAt(folder.length));
}
