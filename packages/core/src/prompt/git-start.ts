import { type GitStart, isCommitId } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';
import { openGitFolder, type ReadGitFile } from './git-folder.ts';
import { readGitHead, readLooseBranch } from './git-head.ts';

const MAX_PACKED_BYTES = 32 * 1024 * 1024;
/** A branch can be another name of a branch. Git follows as many of these. */
const MAX_NAMES = 5;

/**
 * Reads the branch and the commit of the repository in a workspace. Undefined: there is none. What cannot be read is
 * absent. Runs no program, and reads the files of `readGitFacts` and those of the branch.
 */
export async function readGitStart(
  files: Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>,
): Promise<GitStart | undefined> {
  let known: GitStart = {};
  try {
    const read = await openGitFolder(files);
    const head = await readGitHead(read);
    if (head === undefined) return undefined;
    if (head === 'unknown' || 'commit' in head) return head === 'unknown' ? {} : head;
    known = { branch: head.branch };
    const commit = await commitOf(read, head.branch);
    return commit === 'unknown' ? known : { ...known, commit };
  } catch {
    // The files cannot be read, lead out of the workspace, or change at this moment.
    return known;
  }
}

/** Returns the commit of a branch. `null`: it has none yet. */
async function commitOf(read: ReadGitFile, branch: string): Promise<string | null | 'unknown'> {
  let name = branch;
  for (let count = 0; count < MAX_NAMES; count += 1) {
    const loose = await readLooseBranch(read, name);
    if (loose === undefined) return packedCommit(read, name);
    if (loose === 'unknown') return 'unknown';
    if ('commit' in loose) return loose.commit;
    name = loose.branch;
  }
  return 'unknown';
}

/** Looks the branch up in the file that contains many: lines of an id, a space and a name. */
async function packedCommit(read: ReadGitFile, branch: string): Promise<string | null | 'unknown'> {
  const file = await read('packed-refs', MAX_PACKED_BYTES);
  if (file === undefined) return null;
  if (file === 'unreadable') return 'unknown';
  const data = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const end = data.indexOf(` refs/heads/${branch}\n`);
  if (end < 0) return null;
  const id = data.toString('latin1', data.lastIndexOf('\n', end) + 1, end);
  return isCommitId(id) ? id : 'unknown';
}
