import { join } from 'node:path';

/** Replaces `~` at the beginning of a path by the home folder. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
