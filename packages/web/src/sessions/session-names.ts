import type { SessionInfo } from '@longhaul/protocol/api';

const MOST_CHARS = 120;

/** What a session is called: its title, or the beginning of its task. */
export function sessionName({ title, task }: Partial<Pick<SessionInfo, 'title' | 'task'>>): string {
  const name = (title || task || '').trim().split('\n')[0] ?? '';
  if (name === '') return 'Untitled';
  return name.length > MOST_CHARS ? `${name.slice(0, MOST_CHARS - 1).toWellFormed()}…` : name;
}

/** The last folder of a path. */
export function folderName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== '') ?? path;
}
