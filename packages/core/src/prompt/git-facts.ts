import type { WorkspaceFiles } from '../ports/index.ts';
import { countChanges, type GitChanges } from './git-changes.ts';
import { openGitFolder } from './git-folder.ts';
import { readGitHead } from './git-head.ts';
import { readGitIndex } from './git-index.ts';

/**
 * The number of changes is absent if the index is too large or of an unknown form. Files that git does not track are
 * not counted.
 */
export interface GitFacts extends Partial<GitChanges> {
  /** Name of the branch, or the beginning of the commit's id if none is checked out. */
  head: string;
}

const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Reads the branch and the number of changed files of the repository in a workspace. Undefined if there is none.
 *
 * Reads the files of git itself. The program `git` would run what the repository's configuration names: hooks, filters,
 * a file system monitor. Of files outside the workspace, only those of a linked working tree are read.
 */
export async function readGitFacts(
  files: Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>,
): Promise<GitFacts | undefined> {
  try {
    const read = await openGitFolder(files);
    const head = await readGitHead(read);
    if (head === undefined || head === 'unknown') return undefined;
    const data = await read('index', MAX_INDEX_BYTES);
    const entries = data === undefined || data === 'unreadable' ? undefined : readGitIndex(data);
    const name = 'branch' in head ? head.branch : head.commit.slice(0, 8);
    return { head: name, ...(entries !== undefined && (await countChanges(files, entries))) };
  } catch {
    // The files are not readable, or change at this moment. The session can work without these facts.
    return undefined;
  }
}
