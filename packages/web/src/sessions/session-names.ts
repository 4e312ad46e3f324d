import type { SessionInfo } from '@longhaul/protocol/api';

const MOST_CHARS = 120;
const MOST_FILE_CHARS = 60;

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

/** Only letters, digits and a few signs of the title: other systems forbid the rest in names of files. */
export function exportName(session: Partial<Pick<SessionInfo, 'title' | 'task'>>): string {
  const words = sessionName(session).replace(/[^\p{L}\p{N} ._-]+/gu, ' ');
  const name = words
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
    .slice(0, MOST_FILE_CHARS)
    .trim();
  return `${name || 'session'}.json`;
}
